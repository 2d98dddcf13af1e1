import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  /** Who logged in; absent: nobody. */
  readonly user?: string
  readonly isEncrypted: boolean
  readonly from: string
  readonly to: readonly string[]
  /** As it went over the wire. */
  readonly raw: string
}

/** What a server answers in place of taking something. */
export interface Answers {
  readonly data?: readonly [code: number, text: string]
  /** By address. */
  readonly recipients?: Readonly<Record<string, readonly [code: number, text: string]>>
  /** Say nothing to whoever connects. */
  readonly isMute?: boolean
}

export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly received: readonly ReceivedMail[]
  answers: Answers
  /** What a client has to log in with. */
  login: { readonly user: string; readonly password: string } | undefined
  /** Resolves when somebody has connected, and with when that connection has ended. */
  readonly connected: Promise<{ readonly ended: Promise<void> }>
}

export interface MailServerOptions {
  /** With `server.crt` and `server.key`; absent: it does not encrypt. */
  readonly certificates?: string
  /** TLS from the first byte. Default: after STARTTLS. */
  readonly secure?: boolean
  readonly login?: MailServer['login']
}

/** A real server of SMTP that keeps what it is sent, and answers as told. */
export async function aMailServer({ certificates, secure = false, login }: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const { promise: connected, resolve: connects } = Promise.withResolvers<{ readonly ended: Promise<void> }>()
  const tls = certificates === undefined ? {} : await pairIn(certificates)
  const mail = { port: 0, received, answers: {} as Answers, login, connected }
  const server = new SMTPServer({
    ...{ ...tls, secure, disableReverseLookup: true, closeTimeout: 1, logger: false },
    ...(certificates === undefined && { disabledCommands: ['STARTTLS'] }),
    authOptional: login === undefined,
    ...listeners(mail, received),
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket) => {
    connects({ ended: new Promise((resolve) => socket.once('close', () => resolve())) })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  mail.port = (server.server.address() as AddressInfo).port
  return Object.assign(mail, { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)) })
}

async function pairIn(folder: string): Promise<{ readonly cert: string; readonly key: string }> {
  const [cert, key] = await Promise.all(['server.crt', 'server.key'].map((name) => readFile(join(folder, name), 'utf8')))
  return { cert: cert ?? '', key: key ?? '' }
}

function refused([code, text]: readonly [number, string]): Error {
  return Object.assign(new Error(text), { responseCode: code })
}

function listeners(mail: Pick<MailServer, 'answers' | 'login'>, received: ReceivedMail[]): Partial<SMTPServerOptions> {
  return {
    onConnect: (_, done) => (mail.answers.isMute ? undefined : done()),
    onAuth: ({ username, password }, _, done) =>
      username === mail.login?.user && password === mail.login?.password
        ? done(null, { user: username })
        : done(refused([535, `5.7.8 no ${username} with ${password}`])),
    onRcptTo: ({ address }, _, done) => {
      const answer = mail.answers.recipients?.[address]
      done(answer && refused(answer))
    },
    onData: (stream, { envelope, user, secure }, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        if (mail.answers.data) return done(refused(mail.answers.data))
        const to = envelope.rcptTo.map(({ address }) => address)
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const raw = Buffer.concat(parts).toString()
        received.push({ isEncrypted: secure, from, to, raw, ...(user !== undefined && { user }) })
        done()
      })
    },
  }
}
