import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Asked } from '../../src/controller/gates/gate-check.ts'
import { prometheus } from '../../src/controller/gates/prometheus.ts'

/** What Prometheus 3.5 said to each query; asked of a real one when NODEWAVE_PROMETHEUS has its URL. */
const ANSWERS: Readonly<Record<string, readonly [code: number, body: string]>> = {
  up: [200, vector('{"metric":{"__name__":"up","instance":"127.0.0.1:9090","job":"self"},"value":[1795272976.126,"1"]}')],
  '1.5': [200, '{"status":"success","data":{"resultType":"scalar","result":[1795272976.188,"1.5"]}}'],
  'sum(up)': [200, vector('{"metric":{},"value":[1795272976.205,"1"]}')],
  'up{job="none"}': [200, vector('')],
  'vector(0)/0': [200, vector('{"metric":{},"value":[1795272976.308,"NaN"]}')],
  'vector(1)/0': [200, vector('{"metric":{},"value":[1795272976.308,"+Inf"]}')],
  'vector(1) or label_replace(vector(2), "a", "b", "", "")': [
    200,
    vector('{"metric":{},"value":[1795272976,"1"]},{"metric":{"a":"b"},"value":[1795272976,"2"]}'),
  ],
  '1+': [
    400,
    '{"status":"error","errorType":"bad_data","error":"invalid parameter \\"query\\": 1:3: parse error: unexpected end of input"}',
  ],
  '"text"': [200, '{"status":"success","data":{"resultType":"string","result":[1795272976.5,"text"]}}'],
  'up[5m]': [200, '{"status":"success","data":{"resultType":"matrix","result":[]}}'],
  'histogram_quantile(0.9, up)': [
    200,
    '{"status":"success","data":{"resultType":"vector","result":[]},"warnings":["PromQL warning: bucket label \\"le\\" is missing or has a malformed value of \\"\\" for metric name \\"up\\" (1:25)"]}',
  ],
}

function vector(samples: string): string {
  return `{"status":"success","data":{"resultType":"vector","result":[${samples}]}}`
}

let url = process.env.NODEWAVE_PROMETHEUS ?? ''
const standIn = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in')
  const [code, body] = ANSWERS[searchParams.get('query') ?? ''] ?? [404, '']
  response.writeHead(pathname === '/api/v1/query' ? code : 404, { 'content-type': 'application/json' }).end(body)
})

beforeAll(async () => {
  if (url !== '') return
  standIn.listen(0, '127.0.0.1')
  await once(standIn, 'listening')
  url = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`
})

afterAll(() => {
  standIn.closeAllConnections()
  standIn.close()
})

function ask(query: string) {
  return prometheus()({ kind: 'prometheus', url, query, max: 1 }, {} as Asked, AbortSignal.timeout(10_000))
}

test.each([
  ['up', 'Passed', 1],
  ['sum(up)', 'Passed', 1],
  ['1.5', 'NotPassed', 1.5],
  ['vector(1)/0', 'NotPassed', Number.POSITIVE_INFINITY],
])('Prometheus answers %s with one value', async (query, verdict, value) => {
  expect(await ask(query)).toMatchObject({ verdict, value })
})

test.each([
  ['up{job="none"}', 'the query returns no series'],
  ['vector(0)/0', 'the query returns NaN, which is not a number'],
  ['vector(1) or label_replace(vector(2), "a", "b", "", "")', 'the query returns 2 series; expected one value'],
  ['1+', 'bad_data: invalid parameter "query": 1:3: parse error: unexpected end of input'],
  ['"text"', 'the query returns a string; expected one value'],
  ['up[5m]', 'the query returns a matrix; expected one value'],
  ['histogram_quantile(0.9, up)', 'the result may be incomplete: PromQL warning: bucket label "le" is missing'],
])('Prometheus has no one value for %s, and that is told', async (query, message) => {
  await expect(ask(query)).rejects.toThrow(message)
})
