import { expect, test } from 'vitest'
import { OutageLog } from '../../../src/controller/clock/outage-log.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { unreachable } from '../../../src/kube/status-error.ts'
import { TestClock } from '../test-clock.ts'

function aLog() {
  const [clock, lines] = [new TestClock(0), [] as string[]]
  return { clock, lines, outage: new OutageLog((level, message) => void lines.push(`${level} ${message}`), clock) }
}

const refused = (what: string) => unreachable(what, { cause: new Error('connect ECONNREFUSED 127.0.0.1:6443') })
const AWAY = 'warn the connection to the API server failed: connect ECONNREFUSED 127.0.0.1:6443; tried again until it answers'

test('a server that cannot be reached is logged once a minute, however many watches find it out', () => {
  const { clock, lines, outage } = aLog()
  for (const path of ['/api/v1/nodes', '/api/v1/pods']) outage.trouble(`watch "${path}"`, refused(`list "${path}"`))
  expect(lines).toEqual([AWAY])
  clock.advance(59_999)
  outage.trouble('request', refused('get "/version"'))
  expect(lines).toEqual([AWAY])
  clock.advance(1)
  outage.trouble('request', refused('get "/version"'))
  expect(lines).toEqual([AWAY, AWAY])
})

test('a server that answers again is logged once, and not when nothing was logged before', () => {
  const { lines, outage } = aLog()
  outage.ended()
  outage.trouble('request', refused('get "/version"'))
  outage.ended()
  outage.ended()
  expect(lines).toEqual([AWAY, 'info the API server answers again'])
})

test('a connection that fails again and again for a moment is logged once a minute', () => {
  const { lines, outage } = aLog()
  for (let times = 0; times < 3; times++) {
    outage.trouble('watch "/api/v1/nodes"', refused('list "/api/v1/nodes"'))
    outage.ended()
  }
  expect(lines).toEqual([AWAY, 'info the API server answers again'])
})

test('an answer that is a refusal names the watch', () => {
  const { lines, outage } = aLog()
  const error = new KubeError('failed to list "/api/v1/nodes": etcd has no leader (503)', {
    code: 503,
    reason: 'ServiceUnavailable',
  })
  outage.trouble('watch "/api/v1/nodes"', error)
  expect(lines).toEqual([
    'warn watch "/api/v1/nodes": ServiceUnavailable: failed to list "/api/v1/nodes": etcd has no leader (503)',
  ])
})

test('a server with another answer each time is logged at most 20 times a minute', () => {
  const { lines, outage } = aLog()
  for (let number = 0; number < 30; number++)
    outage.trouble('request', new KubeError(`failure ${number}`, { code: 503, reason: 'ServiceUnavailable' }))
  expect(lines).toHaveLength(20)
})

test('a server none of whose addresses answers is logged with what each of them says', () => {
  const { lines, outage } = aLog()
  const each = [new Error('connect ECONNREFUSED ::1:6443'), new Error('connect ECONNREFUSED 127.0.0.1:6443')]
  outage.trouble('request', unreachable('get "/version"', { cause: new AggregateError(each) }))
  expect(lines).toEqual([
    'warn the connection to the API server failed: connect ECONNREFUSED ::1:6443, connect ECONNREFUSED 127.0.0.1:6443; tried again until it answers',
  ])
})

test('a watch that is refused does not count as an outage when the server answers others', () => {
  const { lines, outage } = aLog()
  outage.trouble(
    'watch "/api/v1/pods"',
    new KubeError('failed to list "/api/v1/pods": no (403)', { code: 403, reason: 'Forbidden' }),
  )
  outage.ended()
  expect(lines).toEqual(['warn watch "/api/v1/pods": Forbidden: failed to list "/api/v1/pods": no (403)'])
})
