import { KubeError } from './kube-api.ts'

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

interface Status {
  readonly message?: unknown
  readonly reason?: unknown
  readonly code?: unknown
  readonly details?: { readonly retryAfterSeconds?: unknown }
}

/**
 * The error for a refusal: by the Status object the server sent, else (a proxy answered) by the HTTP status.
 * @param what like `patch "/api/v1/nodes/a"`
 * @param answer the parsed body, or whatever else came
 */
export function statusError(
  what: string,
  { answer, code, retryAfter }: { readonly answer: unknown; readonly code: number; readonly retryAfter?: string | undefined },
): KubeError {
  const status: Status = typeof answer === 'object' && answer !== null ? answer : {}
  const actual = code || (typeof status.code === 'number' ? status.code : 500)
  const text = typeof status.message === 'string' ? status.message : excerpt(answer)
  return new KubeError(`failed to ${what}: ${text || 'the server gave no reason'} (${actual})`, {
    code: actual,
    reason: typeof status.reason === 'string' && status.reason !== '' ? status.reason : (REASONS[actual] ?? 'Unknown'),
    retryAfter: secondsOf(retryAfter) ?? secondsOf(status.details?.retryAfterSeconds),
  })
}

function excerpt(answer: unknown): string {
  return typeof answer === 'string' ? answer.trim().slice(0, 200) : ''
}

function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** No answer that could be used: the network, TLS, a proxy's page instead of JSON, more bytes than any API server sends. */
export function unreachable(
  what: string,
  details: {
    readonly reason?: string
    readonly why?: string
    readonly silentFor?: number
    readonly wasMet?: boolean
    readonly cause?: unknown
  },
): KubeError {
  return new KubeError(`failed to ${what}: ${details.why ?? causeText(details.cause)}`, {
    code: 0,
    reason: details.reason ?? 'Unreachable',
    silentFor: details.silentFor,
    wasMet: details.wasMet,
    cause: details.cause,
  })
}

/** Of a server with several addresses, none of which answers, Node gives one error without a text. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(causeText))].join(', ')
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
