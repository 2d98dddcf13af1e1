import { foreignText } from '../../protocol/foreign-text.ts'
import { RemoteError } from '../../remote/remote-error.ts'

/** As nodemailer describes what went wrong. */
interface SmtpFailure extends SmtpAnswer, Error {
  readonly code?: string
  /** Of the socket, when `code` is nodemailer's own. */
  readonly originalCode?: string
  readonly command?: string
}

interface SmtpAnswer {
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
}

const LONGEST_MESSAGE = 200
const REMEDIES: ReadonlyMap<string | undefined, string> = new Map([
  ['EAUTH', '; check the user and the password'],
  ['EENVELOPE', '; check "from" and "to"'],
  ['ETLS', '; check the name and the certificate of the server, "caFile", and whether it is smtp:// or smtps://'],
])
/** As Node names what is wrong with a certificate. */
const OF_CERTIFICATE = /CERT|VERIFY|ALTNAME/

/** What the server answered, without its text: that may repeat what it was sent. */
export function smtpError(error: SmtpFailure): RemoteError {
  const { code, originalCode = '', responseCode } = error
  const isPermanent = responseCode === undefined || responseCode >= 500
  const remedy = REMEDIES.get(OF_CERTIFICATE.test(originalCode) ? 'ETLS' : code) ?? ''
  // Only the message itself was refused: the next one may be accepted.
  return new RemoteError(`${said(error)}${remedy}`, { isRefusal: code === 'EMESSAGE' && isPermanent })
}

/** `SMTP 550 5.1.1` */
export function smtpCode({ response = '', responseCode }: SmtpAnswer): string {
  const [, detail = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response) ?? []
  return `SMTP ${responseCode} ${detail}`.trimEnd()
}

function said({ message, response, responseCode, command = 'CONN' }: SmtpFailure): string {
  if (responseCode !== undefined) return `${smtpCode({ responseCode, response })} after ${command}`
  if (response !== undefined) return `unexpected answer after ${command}`
  // What follows is advice about options of Node.
  const [first = ''] = message.split(';')
  return foreignText(first, LONGEST_MESSAGE)
}
