import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly line: string
  readonly body: unknown
  readonly authorization: string | undefined
  readonly privateToken: string | readonly string[] | undefined
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ForgeServer extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  /** In this order, one for each request. */
  answers: Answer[]
}

/** An HTTP server that answers as it is told to, and remembers what it was asked. */
export async function startForgeServer(): Promise<ForgeServer> {
  const forge = { asked: [] as Asked[], answers: [] as Answer[] }
  const server = createServer(async (request, response) => {
    forge.asked.push(await readRequest(request))
    const { status, body = {}, headers = {} } = forge.answers.shift() ?? { status: 500 }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(forge, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  })
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { authorization, 'private-token': privateToken } = request.headers
  return {
    line: `${request.method} ${request.url}`,
    body: text === '' ? undefined : JSON.parse(text),
    authorization,
    privateToken,
  }
}
