import { createPrivateKey, sign } from 'node:crypto'
import * as z from 'zod'
import { askForge } from '../status/forge-request.ts'

export interface GithubApp {
  /** Of the API: `https://api.github.com`. */
  readonly url: string
  /** The client id or the number of the app. */
  readonly id: string
  /** PEM. Read for each token, so that a key in a file may change. */
  readonly privateKey: () => Promise<string>
  /** `owner/name`; the token is for nothing else. */
  readonly repository: string
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>
  readonly now: () => number
}

/** A token of the app's installation, renewed before it ends. */
export interface InstallationTokens {
  /** @throws {ForgeError}, or {Error} when the key is none */
  get(): Promise<string>
  /** The forge refuses the token that it gave: the next one is a new one. */
  forget(): void
}

/** Milliseconds. A token is for an hour; one that is given now must outlast a slow fetch. */
const RESERVE = 15 * 60_000
/** The clock of the forge may be behind, so the app says that it asked a minute ago; seconds. */
const BACKDATED = 60
/** GitHub takes ten minutes at most; seconds. */
const VALIDITY = 540

const installation = z.object({ id: z.number() })
const granted = z.object({ token: z.string().min(1), expires_at: z.string() })

export function installationTokens(app: GithubApp): InstallationTokens {
  let current: { readonly token: string; readonly until: number } | undefined
  let asked: Promise<string> | undefined
  const renew = async (): Promise<string> => {
    const { token, expires_at } = await newToken(app)
    current = { token, until: Date.parse(expires_at) - RESERVE }
    return token
  }
  return {
    async get() {
      if (current && app.now() < current.until) return current.token
      asked ??= renew().finally(() => {
        asked = undefined
      })
      return asked
    },
    forget() {
      current = undefined
    },
  }
}

async function newToken(app: GithubApp): Promise<z.infer<typeof granted>> {
  const { repository, permissions } = app
  const [owner = '', repo = ''] = repository.split('/')
  const ask = async (route: string, parameters: Readonly<Record<string, unknown>>) => {
    const headers = { authorization: `Bearer ${await appToken(app)}` }
    return askForge(app, { route, parameters, headers, signal: new AbortController().signal })
  }
  const { id } = installation.parse(await ask('GET /repos/{owner}/{repo}/installation', { owner, repo }))
  const body = { repositories: [repo], permissions }
  return granted.parse(await ask('POST /app/installations/{installation_id}/access_tokens', { installation_id: id, ...body }))
}

/** What the app proves itself with: a JSON Web Token, signed with its key. */
async function appToken({ id, privateKey, now }: GithubApp): Promise<string> {
  const seconds = Math.floor(now() / 1000)
  const claims = { iat: seconds - BACKDATED, exp: seconds + VALIDITY, iss: id }
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), createPrivateKey(await privateKey())).toString('base64url')}`
}
