import { expect, test } from 'vitest'
import { type Telemetry, telemetryOf } from '../../../src/controller/metrics/telemetry.ts'

function aListener(name: string, heard: string[]): Telemetry {
  const hears =
    (what: string) =>
    (value?: unknown): void =>
      void heard.push(`${name} ${what} ${typeof value === 'object' ? 'it' : value}`)
  return {
    synced: hears('synced'),
    leads: hears('leads'),
    passed: ({ took, waited }) => hears('passed')(`${took} after ${waited}`),
    passFailed: hears('passFailed'),
    writeSent: hears('writeSent'),
    gitReadable: hears('gitReadable'),
    notifies: (channel) => hears(`notifies ${channel}`),
  }
}

test.each([
  ['one', 1],
  ['both', 2],
  ['all three', 3],
] as const)('%s of the listeners are told everything', (_, count) => {
  const heard: string[] = []
  const names = ['a', 'b', 'c'].slice(0, count)
  const telemetry = telemetryOf([undefined, ...names.map((name) => aListener(name, heard))])
  const items = new Map()
  telemetry?.synced({ nodes: { items }, pools: { items }, revisions: { items } })
  telemetry?.leads()
  telemetry?.passed({ took: 7, waited: 30 })
  telemetry?.passFailed()
  telemetry?.writeSent(4)
  telemetry?.gitReadable(false)
  telemetry?.notifies('mail')('sent')

  const said = [
    ...['synced it', 'leads undefined', 'passed 7 after 30', 'passFailed undefined', 'writeSent 4', 'gitReadable false'],
    'notifies mail sent',
  ]
  expect(heard).toEqual(said.flatMap((what) => names.map((name) => `${name} ${what}`)))
})

test('nobody is told anything when nobody listens', () => {
  expect(telemetryOf([undefined, undefined])).toBeUndefined()
})
