import type { JsonObject } from './json.ts'

export interface Cause extends JsonObject {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

interface Details {
  readonly name?: string | undefined
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly uid?: string | undefined
  readonly causes?: readonly Cause[] | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** What an error speaks of: the resource (or kind) and its group, as `details` of a Status name them. */
export interface ErrorSubject {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

/** A request the server refuses; answered as the Status object that Kubernetes would send. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: number
  readonly reason: string
  readonly details: Details | undefined
  readonly continueToken: string | undefined

  constructor(code: number, reason: string, message: string, more: { details?: Details; continueToken?: string } = {}) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = more.details
    this.continueToken = more.continueToken
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken ? { continue: this.continueToken } : {},
      status: 'Failure',
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: present(this.details) } : {}),
      code: this.code,
    }
  }
}

function present(details: Details): JsonObject {
  const entries = Object.entries(details).filter(([, value]) => value !== undefined && value !== '' && value !== 0)
  return Object.fromEntries(entries) as JsonObject
}

/** `nodes`, or `leases.coordination.k8s.io`: how messages call a resource. */
export function qualified(subject: ErrorSubject): string {
  return subject.group ? `${subject.plural}.${subject.group}` : subject.plural
}

function named(subject: ErrorSubject, name: string, more: Omit<Details, 'name' | 'group' | 'kind'> = {}): { details: Details } {
  return { details: { name, group: subject.group, kind: subject.plural, ...more } }
}

export function notFound(subject: ErrorSubject, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(subject)} "${name}" not found`, named(subject, name))
}

export function alreadyExists(subject: ErrorSubject, name: string): StatusError {
  return new StatusError(409, 'AlreadyExists', `${qualified(subject)} "${name}" already exists`, named(subject, name))
}

export function conflict(subject: ErrorSubject, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`
  return new StatusError(409, 'Conflict', message, named(subject, name))
}

export const MODIFIED_SINCE = 'the object has been modified; please apply your changes to the latest version and try again'

export function forbidden(
  subject: ErrorSubject,
  name: string,
  { why, causes }: { why: string; causes?: readonly Cause[] },
): StatusError {
  const message = name ? `${qualified(subject)} "${name}" is forbidden: ${why}` : `${qualified(subject)} is forbidden: ${why}`
  return new StatusError(403, 'Forbidden', message, named(subject, name, { causes }))
}

export function invalid(subject: Pick<ErrorSubject, 'group' | 'kind'>, name: string, causes: readonly Cause[]): StatusError {
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`)
  const list = lines.length === 1 ? lines[0] : `[${[...new Set(lines)].join(', ')}]`
  const kind = subject.group ? `${subject.kind}.${subject.group}` : subject.kind
  const details = { name, group: subject.group, kind: subject.kind, causes }
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, { details })
}

/** A patch that cannot be carried out on the object as it is. */
export function unprocessable(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', { details: {} })
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message)
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(410, 'Expired', message, continueToken ? { continueToken } : {})
}

export function tooLargeRevision(asked: number, current: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  const message = `Too large resource version: ${asked}, current: ${current}`
  return new StatusError(504, 'Timeout', `Timeout: ${message}`, { details: { causes, retryAfterSeconds: 1 } })
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new StatusError(415, 'UnsupportedMediaType', message)
}

export function unsupportedPatchType(): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} })
}

export function notAcceptable(available: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return new StatusError(406, 'NotAcceptable', message, { details: {} })
}

/** A resource or subresource that its group and version do not have. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', { details: {} })
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource'
  return new StatusError(405, 'MethodNotAllowed', message, { details: {} })
}

export function internalError(message: string): StatusError {
  const causes = [{ reason: 'InternalError', message }]
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { details: { causes } })
}
