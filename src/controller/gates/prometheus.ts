import * as z from 'zod'
import { readBounded } from '../../protocol/read-bounded.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { GateResult, RunGateCheck } from './gate-check.ts'

type PrometheusCheck = Extract<GateCheck, { kind: 'prometheus' }>

/** Which server gets a bearer token. */
export interface PrometheusAccess {
  /** `https://prometheus.example.com`: scheme, host and port. A URL of a repository at any other origin is asked without it. */
  readonly origin: string
  /** Read for each question, so that a rotated token just works. */
  readonly token: () => Promise<string>
}

/** An answer with one value has a few hundred bytes. */
const MAX_BODY = 256 * 1024
const MAX_TOLD = 200

/**
 * Asks the HTTP API of a Prometheus for the value of a query now. Everything but one number is no answer: an error, a warning (the
 * result may be incomplete), no series, several, NaN. Redirects are not followed: the token is for the origin that was named.
 */
export function prometheus(access?: PrometheusAccess): RunGateCheck<PrometheusCheck> {
  return async (check, _, signal) => judge(check, await measure(check, { access, signal }))
}

function judge({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: PrometheusCheck, value: number): GateResult {
  if (value < min) return { verdict: 'NotPassed', value, message: `${value} is below ${min}` }
  if (value > max) return { verdict: 'NotPassed', value, message: `${value} is above ${max}` }
  return { verdict: 'Passed', value, message: `${value} is within bounds` }
}

interface Access {
  readonly access: PrometheusAccess | undefined
  readonly signal: AbortSignal
}

async function measure({ url, query }: PrometheusCheck, { access, signal }: Access): Promise<number> {
  const base = url.replace(/\/+$/, '')
  const token = access && new URL(base).origin === access.origin ? await access.token() : undefined
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const response = await sent(`${base}/api/v1/query?${new URLSearchParams({ query })}`, { headers, signal })
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    throw new Error(`HTTP ${status}: redirects are not followed; use the URL that it redirects to`)
  }
  const body = await readBounded(response.body ?? [], MAX_BODY)
  if (body === undefined) throw new Error(`the answer is longer than ${MAX_BODY} bytes`)
  const answer = parse(body.toString('utf8'))
  if (answer?.status === 'error') throw new Error(`${answer.errorType}: ${answer.error.slice(0, MAX_TOLD)}`)
  if (!answer || !response.ok) throw new Error(`HTTP ${status}: not an answer of Prometheus`)
  const [warning] = answer.warnings ?? []
  if (warning !== undefined) throw new Error(`the result may be incomplete: ${warning.slice(0, MAX_TOLD)}`)
  return numberIn(answer.data)
}

async function sent(
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' })
  } catch (error) {
    const { message, cause } = error as Error
    const why = cause instanceof Error ? cause.message || message : message
    throw new Error(`failed to query ${new URL(url).origin}: ${why}`, { cause: error })
  }
}

const sample = z.tuple([z.number(), z.string()])

const answer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('success'),
    warnings: z.array(z.string()).optional(),
    data: z.discriminatedUnion('resultType', [
      z.object({ resultType: z.literal('scalar'), result: sample }),
      z.object({ resultType: z.literal('vector'), result: z.array(z.object({ value: sample.optional() })) }),
      z.object({ resultType: z.literal('string'), result: z.unknown() }),
      z.object({ resultType: z.literal('matrix'), result: z.unknown() }),
    ]),
  }),
  z.object({ status: z.literal('error'), errorType: z.string(), error: z.string() }),
])
type Answer = z.infer<typeof answer>

function parse(body: string): Answer | undefined {
  try {
    const result = answer.safeParse(JSON.parse(body))
    return result.success ? result.data : undefined
  } catch {
    return undefined
  }
}

function numberIn(data: Extract<Answer, { status: 'success' }>['data']): number {
  if (data.resultType === 'scalar') return numberOf(data.result[1])
  if (data.resultType !== 'vector') throw new Error(`the query returns a ${data.resultType}; expected one value`)
  const [first, ...others] = data.result
  if (first === undefined) throw new Error('the query returns no series')
  if (others.length > 0) throw new Error(`the query returns ${data.result.length} series; expected one value, such as sum(…)`)
  if (first.value === undefined) throw new Error('the query returns a histogram; expected one value')
  return numberOf(first.value[1])
}

function numberOf(text: string): number {
  const value = text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)
  if (text.trim() === '' || Number.isNaN(value))
    throw new Error(`the query returns ${text.slice(0, 20) || 'nothing'}, which is not a number`)
  return value
}
