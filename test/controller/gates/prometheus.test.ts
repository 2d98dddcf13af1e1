import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Asked } from '../../../src/controller/gates/gate-check.ts'
import { type PrometheusAccess, prometheus } from '../../../src/controller/gates/prometheus.ts'

interface Running extends AsyncDisposable {
  readonly url: string
}

async function serve(listener: RequestListener): Promise<Running> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What Prometheus answers to an instant query. */
function vector(...values: readonly string[]): string {
  const result = values.map((value, i) => ({ metric: { i: `${i}` }, value: [1_795_262_400.123, value] }))
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } })
}

function answering(
  body: string | Buffer,
  { code = 200, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
) {
  return serve((_, response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body))
}

interface Options {
  readonly min?: number
  readonly max?: number
  readonly access?: PrometheusAccess
  readonly signal?: AbortSignal
  readonly query?: string
}

function ask(url: string, { access, signal = AbortSignal.timeout(10_000), query = 'errors', ...bounds }: Options = { max: 1 }) {
  return prometheus(access)({ kind: 'prometheus', url, query, ...bounds }, {} as Asked, signal)
}

test.each([
  ['0.5', { max: 1 }, 'Passed', '0.5 is within bounds'],
  ['1', { min: 1, max: 1 }, 'Passed', '1 is within bounds'],
  ['1.5', { max: 1 }, 'NotPassed', '1.5 is above 1'],
  ['-2', { min: -1 }, 'NotPassed', '-2 is below -1'],
  ['+Inf', { max: 1 }, 'NotPassed', 'Infinity is above 1'],
  ['-Inf', { min: 1 }, 'NotPassed', '-Infinity is below 1'],
  ['1e-7', { max: 1 }, 'Passed', '1e-7 is within bounds'],
])('a value of %s with %j is %s', async (value, bounds, verdict, message) => {
  await using server = await answering(vector(value))

  expect(await ask(server.url, bounds)).toEqual({ verdict, value: Number(value.replace('Inf', 'Infinity')), message })
})

test('a scalar counts like a series', async () => {
  await using server = await answering('{"status":"success","data":{"resultType":"scalar","result":[1795262400,"3"]}}')

  expect(await ask(server.url, { max: 5 })).toMatchObject({ verdict: 'Passed', value: 3 })
})

test('the query is sent as it stands, behind whatever path the URL has', async () => {
  const seen: (string | undefined)[] = []
  await using server = await serve((request, response) => {
    seen.push(request.method, request.url, request.headers.authorization)
    response.end(vector('0'))
  })

  await ask(`${server.url}/prom/`, { max: 1, query: 'sum(rate(x{code=~"5.."}[5m])) / 2 & 3' })

  const { pathname, searchParams } = new URL(seen[1] ?? '', server.url)
  expect([seen[0], pathname, searchParams.get('query'), seen[2]]).toEqual([
    'GET',
    '/prom/api/v1/query',
    'sum(rate(x{code=~"5.."}[5m])) / 2 & 3',
    undefined,
  ])
})

test.each([
  ['gives no series', vector(), {}, 'the query returns no series'],
  ['gives several series', vector('1', '2'), {}, 'the query returns 2 series; expected one value, such as sum(…)'],
  ['gives NaN', vector('NaN'), {}, 'the query returns NaN, which is not a number'],
  ['gives no number', vector(''), {}, 'the query returns nothing, which is not a number'],
  [
    'gives a matrix',
    '{"status":"success","data":{"resultType":"matrix","result":[]}}',
    {},
    'the query returns a matrix; expected one value',
  ],
  [
    'gives a histogram',
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{"count":"1","sum":"1"}]}]}}',
    {},
    'the query returns a histogram; expected one value',
  ],
  [
    'is not understood',
    '{"status":"error","errorType":"bad_data","error":"invalid parameter \\"query\\": 1:4: parse error: unclosed left parenthesis"}',
    { code: 400 },
    'bad_data: invalid parameter "query": 1:4: parse error: unclosed left parenthesis',
  ],
  [
    'takes Prometheus too long',
    '{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}',
    { code: 503 },
    'timeout: query timed out in expression evaluation',
  ],
  [
    'is answered in part',
    '{"status":"success","warnings":["store a is down"],"data":{"resultType":"scalar","result":[1,"0"]}}',
    {},
    'the result may be incomplete: store a is down',
  ],
  ['meets a proxy', '<html>Bad Gateway</html>', { code: 502 }, 'HTTP 502: not an answer of Prometheus'],
  ['meets something else', '{"hello":"world"}', {}, 'HTTP 200: not an answer of Prometheus'],
  ['meets a success of which the code is none', vector('0'), { code: 500 }, 'HTTP 500: not an answer of Prometheus'],
  [
    'is redirected',
    '',
    { code: 302, headers: { location: 'http://127.0.0.1:9/' } },
    'HTTP 302: redirects are not followed; use the URL that it redirects to',
  ],
  ['has several addresses to go to', '', { code: 300 }, 'HTTP 300: redirects are not followed; use the URL that it redirects to'],
  ['is answered without an end', Buffer.alloc(1_000_000, ' '), {}, 'the answer is longer than 262144 bytes'],
  [
    'is answered with a bomb',
    gzipSync(Buffer.alloc(50_000_000, ' ')),
    { headers: { 'content-encoding': 'gzip' } },
    'the answer is longer than 262144 bytes',
  ],
])('a query that %s is not answered', async (_, body, options, message) => {
  await using server = await answering(body, options)

  await expect(ask(server.url)).rejects.toThrow(message)
})

test('a server that is not there is not an answer', async () => {
  // A port that no other test can be given.
  await expect(ask('http://127.0.0.1:2')).rejects.toThrow(/^failed to query http:\/\/127\.0\.0\.1:2: connect ECONNREFUSED/)
})

test('a server that is slow is not waited for longer than the question may take', async () => {
  await using server = await serve((_, response) => response.writeHead(200).write('{"status":'))
  const ending = new AbortController()
  const asked = ask(server.url, { max: 1, signal: ending.signal })
  ending.abort(new Error('over'))

  await expect(asked).rejects.toThrow('over')
})

test('the token goes to the origin that it is for, and nowhere else', async () => {
  const seen: (string | undefined)[] = []
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization)
    response.end(vector('0'))
  }
  await using trusted = await serve(listener)
  await using other = await serve(listener)
  const access = { origin: trusted.url, token: async () => 'secret' }

  await ask(`${trusted.url}/prom`, { max: 1, access })
  await ask(other.url, { max: 1, access })

  expect(seen).toEqual(['Bearer secret', undefined])
})

test('a token is read again for each question', async () => {
  const seen: (string | undefined)[] = []
  await using server = await serve((request, response) => {
    seen.push(request.headers.authorization)
    response.end(vector('0'))
  })
  const tokens = ['one', 'two']
  const access = { origin: server.url, token: async () => tokens.shift() ?? '' }

  await ask(server.url, { max: 1, access })
  await ask(server.url, { max: 1, access })

  expect(seen).toEqual(['Bearer one', 'Bearer two'])
})
