import { expect, test } from 'vitest'
import { aFolder, FLEET, runCli } from './run-cli.ts'

const pool = (name: string, rollout: string) => `apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: ${name}}
spec: {nodeSelector: {matchLabels: {pool: ${name}}}, rollout: ${rollout}}
`
const nights = '{windows: [{schedule: "0 22 * * mon-thu", duration: 6h, timeZone: Europe/Berlin}]}'
const aFleet = () =>
  aFolder({ 'fleet.yaml': FLEET['fleet.yaml'], 'p.yaml': [pool('gpu', '{}'), pool('workers', nights)].join('---\n') })
const at = { now: () => Date.parse('2026-11-20T12:00:00Z') }

test('windows shows the next ones of each pool, by the clock that one asks for', async () => {
  const { stdout, code } = await runCli(await aFleet(), ['windows', '-n', '2', '--time-zone', 'Europe/Berlin'], at)

  expect(code).toBe(0)
  expect(stdout).toBe(`POOL     OPENS (Europe/Berlin)  CLOSES
gpu      always
workers  Mon 2026-11-23 22:00   Tue 2026-11-24 04:00
workers  Tue 2026-11-24 22:00   Wed 2026-11-25 04:00
`)
})

test('windows as json has instants, from whatever time one asks for', async () => {
  const { stdout } = await runCli(await aFleet(), ['windows', '-n', '1', '--from', '2026-12-01T23:00Z', '-o', 'json'], at)

  expect(JSON.parse(stdout)).toEqual({
    pools: [
      { pool: 'gpu', always: true, open: [] },
      { pool: 'workers', always: false, open: [{ from: '2026-12-01T23:00:00.000Z', to: '2026-12-02T03:00:00.000Z' }] },
    ],
  })
})

test.each([
  [['-n', '0'], 'expected a number from 1 to 999'],
  [['--from', 'soon'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--from', '11/10/2026'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--from', '2026-12-24 22:00'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--from', '2026-12-24T22:00'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--from', '2026-02-31'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--from', '+275760-09-12T00:00Z'], 'expected a time such as 2026-12-24T12:00Z'],
  [['--time-zone', 'Mars'], 'expected a time zone such as Europe/Berlin'],
  [['--time-zone', 'Lisbon'], 'expected a time zone such as Europe/Berlin; did you mean "Europe/Lisbon"?'],
])('windows refuses %s', async (args, message) => {
  const { stderr, code } = await runCli(await aFleet(), ['windows', ...args], at)

  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
