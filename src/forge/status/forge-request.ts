import { request } from '@octokit/request'
import { foreignText } from '../../protocol/foreign-text.ts'
import { boundedWait, retryAfterOf } from '../../protocol/retry-after.ts'
import { ForgeError } from './commit-status.ts'

export interface ForgeAccess {
  /** Of the API: `https://git.example.com/api/v1`. */
  readonly url: string
  /** `group/name`. */
  readonly repository: string
  /** Asked for each request, so that a token in a file may change. */
  readonly token: () => Promise<string>
  readonly now: () => number
  /** Absent: who asks tries again later by itself. */
  readonly patience?: Patience
}

/** For somebody who has nothing else to do: a forge that says when it wants to be asked again is asked again then. */
export interface Patience {
  /** Milliseconds in all, for one request. */
  readonly longest: number
  /** @throws when it is aborted */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export interface ForgeRequest {
  /** `GET /repos/{owner}/{repo}`: each parameter in braces is taken from the others and escaped. */
  readonly route: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Bytes of an answer. Default: 2 MiB. */
  readonly longest?: number | undefined
}

/** Milliseconds. */
const DEADLINE = 20_000
/** Bytes. A page of statuses has some ten thousand. */
const LONGEST_ANSWER = 2 * 1024 * 1024
const LONGEST_MESSAGE = 300

/** Answers that lie in what is asked for, not in the token or the server. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])

/** Also where the forge says 0: milliseconds. */
const SHORTEST_WAIT = 1000

/** @throws {ForgeError} with what the forge says, and when it wants to be asked again. */
export async function askForge(access: Pick<ForgeAccess, 'url' | 'now' | 'patience'>, asked: ForgeRequest): Promise<unknown> {
  const { patience = { longest: 0, sleep: async () => {} } } = access
  let left = patience.longest
  while (true) {
    try {
      return await askOnce(access, asked)
    } catch (error) {
      const wait = Math.max(SHORTEST_WAIT, (error as ForgeError).retryAfter ?? Number.POSITIVE_INFINITY)
      if (wait > left) throw error
      left -= wait
      await patience.sleep(wait, asked.signal)
    }
  }
}

async function askOnce(
  { url, now }: Pick<ForgeAccess, 'url' | 'now'>,
  { route, parameters, headers, signal, longest = LONGEST_ANSWER }: ForgeRequest,
): Promise<unknown> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)])
  try {
    const options = { ...parameters, baseUrl: url, headers, request: { fetch: boundedFetch(longest), signal: within } }
    return (await request(route, options)).data
  } catch (error) {
    const retryAfter = waitAsked(error, now())
    const isRefusal = retryAfter === undefined && OF_THE_REQUEST.has((error as Failure).status ?? 0)
    throw new ForgeError(`${url}: ${describe(error)}`, { retryAfter, isRefusal, cause: error })
  }
}

/** Follows no redirect: the token is for this server. What is wrong with a body is an error here; octokit would take it for an empty one. */
function boundedFetch(longest: number) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'error' })
    const { body, status, headers } = response
    let size = 0
    const counted = body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          size += chunk.byteLength
          if (size > longest) controller.error(new Error(`the answer is longer than ${longest} bytes`))
          else controller.enqueue(chunk)
        },
      }),
    )
    return new Response(counted && (await new Response(counted).text()), { status, headers })
  }
}

/** What octokit throws: an answer that is not 2xx, or no answer. */
interface Failure {
  readonly status?: number
  readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> }
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof ForgeError ? (error.cause as Failure).status : undefined
}

function describe(error: unknown): string {
  const { status, response } = error as Failure
  const text = foreignText((response ? (error as Error) : deepest(error as Error)).message, LONGEST_MESSAGE)
  return response === undefined ? text : `HTTP ${status}: ${text}`
}

/** "fetch failed" says nothing; what it was caused by does. */
function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error
}

function waitAsked(error: unknown, now: number): number | undefined {
  const headers = (error as Failure).response?.headers ?? {}
  const after = retryAfterOf(headers['retry-after']?.toString(), now)
  if (after !== undefined || headers['x-ratelimit-remaining'] !== '0') return after
  return boundedWait(Number(headers['x-ratelimit-reset']) * 1000 - now)
}
