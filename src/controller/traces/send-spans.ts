import { post } from '../../remote/post.ts'
import { otlpRequest } from './otlp.ts'
import type { SendSpans } from './tracer.ts'

export interface Collector {
  readonly url: string
  /** Read for each request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Of the whole process: `service.name`. */
  readonly resource: Readonly<Record<string, string>>
  readonly now: () => number
}

export function sendSpansTo({ url, headers, resource, now }: Collector): SendSpans {
  return async (spans, signal) => {
    const body = JSON.stringify(otlpRequest(spans, resource))
    await post({ url, headers: { ...(await headers()), 'content-type': 'application/json' }, body, signal, now: now() })
  }
}
