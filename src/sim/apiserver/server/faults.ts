import { StatusError } from '../status-error.ts'

export interface FaultMatch {
  readonly verb?: string
  /** `nodes`, `leases.coordination.k8s.io` */
  readonly resource?: string
}

export interface InjectedFailure extends FaultMatch {
  /** HTTP status. */
  readonly code: number
  /** How many requests fail; the default is 1. */
  readonly times?: number
  readonly reason?: string
  readonly message?: string
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Faults to order: requests that fail, answers that come late. */
export class Faults {
  #failures: { readonly failure: InjectedFailure; left: number }[] = []
  /** Milliseconds that every answer is held back. */
  latency = 0

  /** The next requests that match are refused before anything is done. */
  failNext(failure: InjectedFailure): void {
    this.#failures.push({ failure, left: failure.times ?? 1 })
  }

  clear(): void {
    this.#failures = []
    this.latency = 0
  }

  /** @throws {StatusError} when this request is one that was ordered to fail */
  check(verb: string, resource: string): void {
    const found = this.#failures.find(({ failure }) => matches(failure, verb, resource))
    if (!found) return
    found.left--
    if (found.left === 0) this.#failures.splice(this.#failures.indexOf(found), 1)
    const {
      code,
      reason = REASONS[code] ?? 'InternalError',
      message = `ordered to fail with ${code}`,
      retryAfter,
    } = found.failure
    throw new StatusError(code, reason, message, { details: { retryAfterSeconds: retryAfter } })
  }
}

function matches(match: FaultMatch, verb: string, resource: string): boolean {
  return (match.verb === undefined || match.verb === verb) && (match.resource === undefined || match.resource === resource)
}
