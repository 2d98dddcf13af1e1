import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A real HTTP server that keeps what it is sent, and answers as told. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** Of the next requests, in order; then 200. */
  readonly answers: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[]
  /** Resolves when so many requests came. */
  after(count: number): Promise<readonly Received[]>
}

export async function aReceiver(): Promise<Receiver> {
  const [received, answers, waiting]: [Received[], Receiver['answers'], Set<() => void>] = [[], [], new Set()]
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) })
    const { status, headers = {} } = answers.shift() ?? { status: 200 }
    response.writeHead(status, headers).end(`no such path: ${request.url}`)
    for (const told of waiting) told()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    after: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length >= count) resolve(received)
        }
        waiting.add(check)
        check()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
