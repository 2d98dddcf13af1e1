import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Address {
  /** Absent: every address of this machine. */
  readonly host?: string | undefined
  /** 0: any that is free. */
  readonly port: number
}

/** For the error: `serve metrics at`, and the option that says another address. */
export interface Purpose {
  readonly task: string
  readonly option: string
}

/** A server that answers until it is disposed of; then all its connections end. */
export interface Listening extends AsyncDisposable {
  readonly port: number
}

/** @throws when the address cannot be had. */
export async function listen(server: Server, { host, port }: Address, { task, option }: Purpose): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: Error) =>
      reject(new Error(`${task} ${host ?? ''}:${port}: ${cause.message}; choose another ${option}`, { cause })),
    )
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve())
  })
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: () => close(server) }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
