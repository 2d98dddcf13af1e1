import { once } from 'node:events'
import type { GitHttpRequest } from 'isomorphic-git'
import type { Client } from 'ssh2'
import { type Answer, createTransport, type Exchange, type GitTransport, type TransportOptions } from './git-transport.ts'
import { FLUSH, packet } from './packets.ts'
import type { RequestGuard } from './request-guard.ts'
import type { SshAddress } from './ssh-address.ts'
import { connectSsh, type SshFiles } from './ssh-connection.ts'
import { type UploadPack, uploadPackOn } from './ssh-process.ts'

export interface GitSshOptions extends TransportOptions {
  readonly address: SshAddress
  readonly files: SshFiles
}

/** What isomorphic-git is given for an address: it speaks no other protocol than HTTP, and what is asked for is taken from the requests. */
export const SSH_URL = 'http://ssh/repository'

const SERVICE = Buffer.concat([packet('# service=git-upload-pack\n'), FLUSH])

/** Git over SSH without a `git` or `ssh` program: each request is the input of a `git-upload-pack` on the server. */
export function createGitSsh(options: GitSshOptions): GitTransport {
  return createTransport(options, () => new SshExchange(options))
}

interface Advertised {
  readonly version: string | undefined
  readonly process: UploadPack
}

/** One connection for the requests of one operation. */
class SshExchange implements Exchange {
  readonly #options: GitSshOptions
  readonly #over = new AbortController()
  #client: Promise<Client> | undefined
  /** Has said what there is, and waits to be asked: the same process answers, so nothing changes between the two. */
  #waiting: Advertised | undefined

  constructor(options: GitSshOptions) {
    this.#options = options
  }

  async send(asked: GitHttpRequest, guard: RequestGuard): Promise<Answer> {
    guard.signal.addEventListener('abort', () => this.end(), { once: true })
    const version = asked.headers?.['Git-Protocol']
    return asked.method === 'POST' ? this.#post(asked, version) : this.#advertise(asked, version)
  }

  end(): void {
    this.#over.abort()
    this.#waiting = undefined
    this.#client?.then((client) => client.destroy()).catch(() => undefined)
  }

  async #advertise(asked: GitHttpRequest, version: string | undefined): Promise<Answer> {
    const process = await this.#start(version)
    const lines = await process.untilFlush()
    this.#waiting = { version, process }
    // As HTTP has it: versions 0 and 1 begin with a line about the service.
    const isNewest = lines.toString('latin1', 4, 13) === 'version 2'
    return answer(asked, 'advertisement', single(isNewest ? lines : Buffer.concat([SERVICE, lines])))
  }

  async #post(asked: GitHttpRequest, version: string | undefined): Promise<Answer> {
    const process = await this.#advertised(version)
    const chunks: Uint8Array[] = []
    for await (const chunk of asked.body ?? []) chunks.push(chunk)
    process.ask(Buffer.concat(chunks))
    return answer(asked, 'result', process.rest())
  }

  async #advertised(version: string | undefined): Promise<UploadPack> {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting && waiting.version === version) return waiting.process
    waiting?.process.ask(FLUSH)
    const process = await this.#start(version)
    await process.untilFlush()
    return process
  }

  async #start(version: string | undefined): Promise<UploadPack> {
    const { address, files, timeout } = this.#options
    this.#client ??= connectSsh({ address, files, timeout, signal: this.#over.signal })
    const client = await this.#client
    return startOn(client, { command: `git-upload-pack ${quoted(address.path)}`, version })
  }
}

/** @param version of the protocol; a server that does not take it speaks the oldest one */
async function startOn(client: Client, { command, version }: { readonly command: string; readonly version: string | undefined }) {
  const opened = Promise.withResolvers<UploadPack>()
  const env = version === undefined ? {} : { GIT_PROTOCOL: version }
  const closed = once(client, 'close').then(() => opened.reject(new Error('the server ended the connection')))
  closed.catch(() => undefined)
  // At once: what the process ends with may come in the same packet.
  client.exec(command, { env }, (error, channel) => (error ? opened.reject(error) : opened.resolve(uploadPackOn(channel))))
  return opened.promise
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

function answer({ url, method = 'GET' }: GitHttpRequest, type: string, body: AsyncGenerator<Uint8Array>): Answer {
  const headers = { 'content-type': `application/x-git-upload-pack-${type}` }
  return { url, method, statusCode: 200, statusMessage: 'OK', headers, body }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
