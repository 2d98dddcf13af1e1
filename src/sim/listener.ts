import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer as createPlain } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

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
  /** 0: any free one. */
  readonly port: number
  readonly tls: TlsFiles | undefined
}

/**
 * A socket to listen on that can go away and come back at the same address, as a server does that is restarted.
 *
 * It keeps its port while it is away, and cuts each connection as it comes. A port that is given back may be gone: a
 * process that this one is just starting holds it until it runs its own program, and anybody may be given it.
 */
export class Listener {
  readonly #options: ListenerOptions
  readonly #server: Server
  #port: number
  readonly #sockets = new Set<Socket>()
  #away = false

  constructor(options: ListenerOptions, handler: RequestListener) {
    const { tls } = options
    this.#options = options
    this.#port = options.port
    this.#server = tls ? createSecure({ key: tls.key, cert: tls.cert }, handler) : createPlain(handler)
    // Clients keep connections for later; closing an idle one just as a request goes out would look like an outage.
    this.#server.keepAliveTimeout = 10 * 60 * 1000
    this.#server.on('connection', (socket) => this.#take(socket))
  }

  get url(): string {
    const { host, tls } = this.#options
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${this.#port}`
  }

  async open(): Promise<void> {
    this.#server.listen({ host: this.#options.host, port: this.#port })
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Cuts the open connections, and each new one. */
  goAway(): void {
    this.#away = true
    this.breakConnections()
  }

  comeBack(): void {
    this.#away = false
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.breakConnections()
    await closed
  }

  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #take(socket: Socket): void {
    if (this.#away) {
      socket.resetAndDestroy()
      return
    }
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
