import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer as createPlain } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { Socket } from 'node:net'
import { threadId } from 'node:worker_threads'

export interface TlsFiles {
  /** PEM */
  readonly key: string
  /** PEM */
  readonly cert: string
  /** PEM; the certificate itself when it is self-signed. */
  readonly ca?: string
  /** The name the certificate is for, when it is not the host listened on. */
  readonly serverName?: string
}

export interface ListenerOptions {
  readonly host: string
  /** 0: any free one; the same again after an outage. */
  readonly port: number
  readonly tls: TlsFiles | undefined
}

/** Below those that systems give to outgoing connections: during an outage, one of them would take the port away. */
const PORTS = { first: 24_000, count: 8_000 }
/** Each thread of each process draws from a part of its own, as far as that goes: another one would take the port away, too. */
const PARTS = 32
/** Odd, so that the threads of a process draw from as many parts as there are; processes that begin together are neighbours. */
const THREADS_APART = 11

/** A socket to listen on that can go away and come back at the same address, as a server does that is restarted. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #handler: RequestListener
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port: number

  constructor(options: ListenerOptions, handler: RequestListener) {
    this.#options = options
    this.#handler = handler
    this.#port = options.port
  }

  get url(): string {
    const { host, tls } = this.#options
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${this.#port}`
  }

  async start(): Promise<void> {
    if (this.#server) return
    const { tls } = this.#options
    const server = tls ? createSecure({ key: tls.key, cert: tls.cert }, this.#handler) : createPlain(this.#handler)
    // Clients keep connections for later; closing an idle one just as a request goes out would look like an outage.
    server.keepAliveTimeout = 10 * 60 * 1000
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#port = await this.#listen(server)
    this.#server = server
  }

  /** Refuses new connections and cuts the open ones. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    this.breakConnections()
    await closed
  }

  /** @returns the port: the one that it had before, or else any that is free. */
  async #listen(server: Server): Promise<number> {
    const port = this.#port || drawPort()
    try {
      server.listen({ host: this.#options.host, port })
      await once(server, 'listening')
      return port
    } catch (error) {
      if (this.#port !== 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      return this.#listen(server)
    }
  }

  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

function drawPort(): number {
  const size = PORTS.count / PARTS
  const part = (process.pid + THREADS_APART * threadId) % PARTS
  return PORTS.first + part * size + randomInt(size)
}
