import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Told {
  readonly id: number
  readonly body: string
  readonly user: { readonly id: number }
}

export interface ForgeDouble {
  readonly url: string
  /** Commits of the one pull request. */
  pull: { readonly head: string; readonly base: string }
  readonly comments: Told[]
  /** Bodies of statuses, with the commit. */
  readonly statuses: unknown[]
  /** Of requests to the API and of Git's. */
  readonly authorizations: Set<string | undefined>
}

/** The parts of Gitea's API that a plan asks for, before a Git server: one address for both, as a forge has. */
export async function aForge(git: string): Promise<ForgeDouble> {
  const forge = {
    pull: { head: '', base: '' },
    comments: [] as Told[],
    statuses: [] as unknown[],
    authorizations: new Set<string | undefined>(),
  }
  const server = createServer(async (request, response) => {
    forge.authorizations.add(request.headers.authorization)
    if (!request.url?.startsWith('/api/v1/')) return passOn(git, request, response)
    const chunks: Uint8Array[] = []
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const answer = answerTo(forge, `${request.method} ${request.url.slice('/api/v1'.length).split('?')[0]}`, body)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return Object.assign(forge, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

type State = Omit<ForgeDouble, 'url'>

function answerTo({ pull, comments, statuses }: State, line: string, body: { readonly body: string }): unknown {
  const repository = '/repos/platform/fleet'
  if (line === 'GET /user') return { id: 3 }
  if (line === `GET ${repository}/pulls/7`) return { head: { sha: pull.head }, merge_base: pull.base }
  if (line === `GET ${repository}/issues/7/comments`) return comments
  if (line === `POST ${repository}/issues/7/comments`) return comments.push({ id: comments.length + 1, ...body, user: { id: 3 } })
  const [, edited] = /^PATCH .*\/issues\/comments\/(\d+)$/.exec(line) ?? []
  if (edited !== undefined) return comments.splice(Number(edited) - 1, 1, { id: Number(edited), ...body, user: { id: 3 } })
  const [, commit] = /^POST .*\/statuses\/(\w+)$/.exec(line) ?? []
  return commit === undefined ? undefined : statuses.push({ commit, ...body })
}

function passOn(git: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request
  const asked = ask(`${git}${request.url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  request.pipe(asked)
}
