import type { Span } from './span.ts'

const INTERNAL = 1
const ERROR = 2

/** A request of OTLP/HTTP with JSON, as collectors take it. */
export function otlpRequest(spans: readonly Span[], resource: Readonly<Record<string, string>>): object {
  const scope = { name: 'nodewave' }
  return {
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }],
  }
}

function otlpSpan({ traceId, spanId, parentSpanId, name, start, end, attributes, error }: Span): object {
  return {
    ...{ traceId, spanId, ...(parentSpanId !== undefined && { parentSpanId }) },
    ...{ name, kind: INTERNAL, startTimeUnixNano: nanoseconds(start), endTimeUnixNano: nanoseconds(end) },
    attributes: attributesOf(attributes),
    ...(error !== undefined && { status: { code: ERROR, message: error } }),
  }
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`
}
