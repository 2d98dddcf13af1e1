import { expect, test } from 'vitest'
import { sendSpansTo } from '../../../src/controller/traces/send-spans.ts'
import type { Span } from '../../../src/controller/traces/span.ts'
import { Tracer } from '../../../src/controller/traces/tracer.ts'
import { aReceiver } from '../../notify/a-receiver.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage } from '../stage.ts'
import { TestClock } from '../test-clock.ts'

interface SentSpan {
  readonly name: string
  readonly traceId: string
}

const resource = { 'service.name': 'nodewave' }
const spansIn = (body: unknown) =>
  (body as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  )

test('a span is sent as OTLP has it', async () => {
  await using receiver = await aReceiver()
  const headers = async () => ({ authorization: 'Bearer top-secret' })
  const send = sendSpansTo({ url: `${receiver.url}/v1/traces`, headers, resource, now: Date.now })
  const span: Span = {
    ...{
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      parentSpanId: '3'.repeat(16),
      name: 'node n0',
      start: 1_000,
      end: 2_500,
    },
    attributes: { 'k8s.node.name': 'n0', 'nodewave.wave.index': 2 },
    error: 'kubelet exited',
  }
  await send([span], new AbortController().signal)

  expect(receiver.received[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', authorization: 'Bearer top-secret' },
    body: {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'nodewave' } }] },
          scopeSpans: [
            {
              scope: { name: 'nodewave' },
              spans: [
                {
                  traceId: '1'.repeat(32),
                  spanId: '2'.repeat(16),
                  parentSpanId: '3'.repeat(16),
                  name: 'node n0',
                  kind: 1,
                  startTimeUnixNano: '1000000000',
                  endTimeUnixNano: '2500000000',
                  attributes: [
                    { key: 'k8s.node.name', value: { stringValue: 'n0' } },
                    { key: 'nodewave.wave.index', value: { intValue: '2' } },
                  ],
                  status: { code: 2, message: 'kubelet exited' },
                },
              ],
            },
          ],
        },
      ],
    },
  })
})

test('a rollout of a real controller arrives as one trace, though the collector fails at first', async () => {
  await using receiver = await aReceiver()
  await using stage = await aStage()
  receiver.answers.push({ status: 503 })
  const traces = sendSpansTo({ url: receiver.url, headers: async () => ({}), resource, now: Date.now })
  await stage.addNodes(2)
  stage.startAgents()
  stage.startController({ traces })
  stage.push('a', aFleet())
  const ticking = setInterval(() => stage.clock.advance(1000), 10)
  await stage.completed('a'.repeat(40))
  const names = () => receiver.received.slice(1).flatMap(({ body }) => spansIn(body).map(({ name }) => name))
  for (let count = 2; names().filter((name) => !name.startsWith('wave')).length < 5; count += 1) await receiver.after(count)
  clearInterval(ticking)

  expect(
    names()
      .filter((name) => !name.startsWith('wave'))
      .sort(),
  ).toEqual(['apply', 'apply', 'node n0', 'node n1', 'rollout workers'])
  expect(new Set(receiver.received.flatMap(({ body }) => spansIn(body).map(({ traceId }) => traceId))).size).toBe(1)
})

test('a collector that is away keeps the newest spans waiting, within bounds', async () => {
  const [clock, log, stop] = [new TestClock(), [] as string[], new AbortController()]
  const run = { revision: 'a', fingerprint: 'f', result: 'Completed' as const }
  const now = new Date(clock.now()).toISOString()
  const pools = new Map(
    Array.from({ length: 9_000 }, (_, index) => {
      const pool = { name: `p${index}`, uid: `u${index}`, status: { history: [{ ...run, startedAt: now, endedAt: now }] } }
      return [pool.name, pool]
    }),
  )
  const sent: Span[] = []
  const tracer = new Tracer({
    send: async (spans) => void sent.push(...spans),
    fleet: () => ({ pools, nodes: [] }),
    clock,
    log: (_, message) => log.push(message),
  })
  tracer.fire()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const running = tracer.run(stop.signal).then(resolve)
  tracer.fire()
  await clock.awaited(1_000)
  stop.abort()
  await Promise.all([running, ended])

  expect(sent).toHaveLength(8_192)
  expect(sent.at(-1)?.name).toBe('rollout p8999')
  expect(log).toEqual(['traces: more than 8192 spans wait for the collector; the oldest are dropped'])
})

test('a collector that is away loses no span before there are too many, and nothing is logged', async () => {
  const clock = new TestClock()
  const log: string[] = []
  const now = new Date(clock.now()).toISOString()
  const run = { revision: 'a', fingerprint: 'f', result: 'Completed' as const, startedAt: now, endedAt: now }
  const pools = new Map(
    Array.from({ length: 8_192 }, (_, index) => [
      `p${index}`,
      { name: `p${index}`, uid: `u${index}`, status: { history: [run] } },
    ]),
  )
  const fleet = () => ({ pools, nodes: [] })
  const tracer = new Tracer({ send: async () => undefined, fleet, clock, log: (_, message) => log.push(message) })
  tracer.fire()

  expect(log).toEqual([])
})
