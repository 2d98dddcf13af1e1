import * as z from 'zod'
import { templateOf } from '../template-setting.ts'

/** Without a name and without quotes, so that no mail server reads one address as two. */
const address = z.string().max(254).regex(z.regexes.html5Email, { error: 'expected an address such as ops@example.com' })
const MOST_RECIPIENTS = 50
const LONGEST_SUBJECT = 200

export const DEFAULT_SUBJECT = '{{reason}} in {{place}}'

export const emailSettings = z.strictObject({
  server: z.string().refine(isSmtpUrl, { error: 'expected smtps://HOST:PORT, or smtp://HOST:PORT for STARTTLS' }),
  from: address,
  to: z.array(address).min(1).max(MOST_RECIPIENTS),
  subject: templateOf(LONGEST_SUBJECT)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'expected one line' })
    .default(DEFAULT_SUBJECT),
  loginFile: z.string().min(1).optional(),
  caFile: z.string().min(1).optional(),
})

export type EmailSettings = z.output<typeof emailSettings>

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; else after STARTTLS. */
  readonly secure: boolean
}

const DEFAULT_PORT = { secure: 465, submission: 587 }

/** @param server as the settings have it */
export function smtpServer(server: string): SmtpServer {
  const { protocol, hostname, port } = new URL(server)
  const secure = protocol === 'smtps:'
  const usual = secure ? DEFAULT_PORT.secure : DEFAULT_PORT.submission
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port), secure }
}

/** Without a password, which belongs into a file. */
function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, host } = new URL(text)
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && text === `${protocol}//${host}`
}
