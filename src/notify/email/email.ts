import { readFile } from 'node:fs/promises'
import type { SendMailOptions, SMTPTransportOptions } from 'nodemailer'
import { foreignText } from '../../protocol/foreign-text.ts'
import { RemoteError } from '../../remote/remote-error.ts'
import type { Send, SentNotification } from '../notification.ts'
import { secretLogin } from '../secret-line.ts'
import { fillTemplate } from '../template.ts'
import { type EmailSettings, smtpServer } from './email-settings.ts'
import type { Nodemailer } from './load-nodemailer.ts'
import { smtpCode, smtpError } from './smtp-error.ts'

export interface EmailContext {
  readonly nodemailer: Pick<Nodemailer, 'createTransport'>
  readonly insecureHttp: boolean
  /** Of files that the settings name. */
  readonly resolve: (path: string) => string
  /** For one message. Default: 30 seconds, since mail servers let strangers wait. */
  readonly deadline?: () => AbortSignal
}

/** Milliseconds. */
const DEADLINE = 30_000
/** Characters; of a header that a person reads. */
const LONGEST_SUBJECT = 250
const LONGEST_FIELD = 2_000
const LONGEST_TEXT = 20_000
/** Bytes of one answer of the server. */
const LONGEST_ANSWER = 64 * 1024

/** What others wrote stays in its line: no header and no line of a message can be made of it. */
export function escapeLine(text: string): string {
  return foreignText(text, LONGEST_FIELD)
}

/** One connection a message: they are few, and what is in the files may change between two. */
export function emailTo(settings: EmailSettings, context: EmailContext): Send {
  const { nodemailer, deadline = () => AbortSignal.timeout(DEADLINE) } = context
  return async (notification, { signal, warn }) => {
    const transport = nodemailer.createTransport(await transportOf(settings, context))
    const late = deadline()
    const within = AbortSignal.any([signal, late])
    const sent = await transport.sendMail({ ...messageOf(settings, notification), signal: within }).catch((error) => {
      throw late.aborted ? new RemoteError(`no answer in ${DEADLINE / 1000} s`) : smtpError(error)
    })
    for (const { recipient, ...refused } of sent.rejectedErrors ?? [])
      warn(`"${recipient}" is refused: ${smtpCode(refused)}; the others got the message`)
  }
}

/** @throws {Error} when a file cannot be used; it names the file */
export async function transportOf(
  { server, loginFile, caFile }: EmailSettings,
  { insecureHttp, resolve }: Pick<EmailContext, 'insecureHttp' | 'resolve'>,
): Promise<SMTPTransportOptions> {
  const login = loginFile === undefined ? undefined : await secretLogin(resolve(loginFile))
  const ca = caFile === undefined ? undefined : await readFile(resolve(caFile), 'utf8')
  return {
    ...smtpServer(server),
    requireTLS: login !== undefined || !insecureHttp,
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    ...{ disableFileAccess: true, disableUrlAccess: true, maxResponseSize: LONGEST_ANSWER, socketCloseTimeout: 0 },
  }
}

function messageOf({ from, to, subject }: EmailSettings, notification: SentNotification): SendMailOptions {
  const { id, text } = notification
  return {
    from: { name: 'nodewave', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: fillTemplate(subject, notification, escapeLine).slice(0, LONGEST_SUBJECT).toWellFormed(),
    text: text.slice(0, LONGEST_TEXT).toWellFormed(),
    // The same when it is sent again: mail clients then show one.
    messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
