import { readFile } from 'node:fs/promises'
import { GitSyncError } from './git-sync-error.ts'

/** Files, as a mounted Secret has them; read for every request, so a rotated one is used at once. */
export type GitCredentials =
  | { readonly kind: 'basic'; readonly usernameFile: string; readonly passwordFile: string }
  | { readonly kind: 'bearer'; readonly tokenFile: string }
  /** Of an app of the forge, which gives tokens for an hour. */
  | { readonly kind: 'app'; readonly tokens: AppTokens }

export interface AppTokens {
  get(): Promise<string>
  /** The server refuses the last one. */
  forget(): void
}

/** The value of the Authorization header. @throws {GitSyncError} `CredentialsUnreadable` */
export async function authorizationOf(credentials: GitCredentials): Promise<string> {
  if (credentials.kind === 'bearer') return `Bearer ${await token(credentials.tokenFile)}`
  if (credentials.kind === 'app') return basic('x-access-token', await credentials.tokens.get())
  const [username, password] = await Promise.all([secret(credentials.usernameFile), secret(credentials.passwordFile)])
  return basic(username, password)
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** As it stands in the header: what has a line break in it, nobody could send. */
async function token(path: string): Promise<string> {
  const text = await secret(path)
  if (/^[!-~]+$/.test(text)) return text
  throw new GitSyncError(`failed to read credentials "${path}": expected one line of ASCII without spaces`, {
    reason: 'CredentialsUnreadable',
  })
}

async function secret(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw new GitSyncError(`failed to read credentials "${path}"`, { reason: 'CredentialsUnreadable', cause })
  }
}
