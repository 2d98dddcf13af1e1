import { InvalidArgumentError } from 'commander'

/** Where to listen. */
export interface Address {
  /** Absent: every address of this machine. */
  readonly host?: string
  readonly port: number
}

export function parseAddress(text: string): Address {
  const { v6, host = v6, port } = /^(?:\[(?<v6>[0-9a-fA-F:]+)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/.exec(text)?.groups ?? {}
  if (port === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError('expected an address such as :9443, 127.0.0.1:9443 or [::1]:9443')
  return { port: Number(port), ...(host && { host }) }
}
