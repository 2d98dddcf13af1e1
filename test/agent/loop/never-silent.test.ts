/** Whatever happened, and with nobody coming to help, a machine ends in what its status says, or the status says Failed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { contentDigest } from '../../../src/protocol/digest.ts'
import { CONFIG, contents, type Event, event, furnished, MOTD, NEW_AGENT, play } from '../support/happenings.ts'
import type { Machine } from '../support/machine.ts'

const MINUTE = 60_000
/** The end of every road, and what waits for somebody. */
const ENDS = ['Applied', 'RolledBack', 'Failed', 'Blocked', 'Reverted']

/** Every fault is over, and an agent of today runs for long enough to do all that it will ever do. */
async function comeToRest(machine: Machine): Promise<void> {
  machine.kill()
  machine.host.faults.network = undefined
  machine.host.faults.disk = undefined
  machine.host.injectCrash(() => undefined)
  machine.kinds = NEW_AGENT
  machine.start()
  await machine.clock.advance(3 * 60 * MINUTE)
}

interface Shown {
  readonly motd: string
  readonly maxPods: unknown
  readonly lamp: string
}

function shownBy({ host: { files } }: Machine): Shown {
  return {
    motd: files.text(MOTD) ?? '',
    maxPods: parse(files.text(CONFIG) ?? '')?.maxPods,
    lamp: files.text('/sys/lamps/red') ?? '',
  }
}

/** What each content has on the host; nothing of it is there when none is active. */
const OURS: readonly Partial<Shown>[] = [
  { motd: 'ours 0\n', maxPods: 51 },
  { motd: 'ours 1\n', maxPods: 52 },
  { motd: 'ours 2\n', maxPods: 53, lamp: 'ours' },
  { motd: 'ours 3\n' },
  { lamp: 'ours too' },
]
const PLACES: Readonly<Record<keyof Shown, string>> = { motd: MOTD, maxPods: CONFIG, lamp: '/sys/lamps/red' }

/** @returns what of the host is neither as its status says nor reported. */
function silentDifferences(machine: Machine): string[] {
  const { active, drift = [], phase, error } = machine.status ?? {}
  if (phase === 'Failed' || error?.reason === 'NotRestored') return []
  const shown = shownBy(machine)
  const index = contents(machine).findIndex((content) => contentDigest(content) === active)
  return (['motd', 'maxPods', 'lamp'] as const)
    .filter((part) => !drift.includes(PLACES[part]))
    .flatMap((part) => {
      const wanted = OURS[index]?.[part]
      const isRight = wanted === undefined ? !/ours|^5[123]$/.test(String(shown[part])) : shown[part] === wanted
      return isRight ? [] : [`${part} is ${JSON.stringify(shown[part])} while content ${index} is active`]
    })
}

function assignedTo(machine: Machine): { readonly text: string | undefined; readonly digest: string | undefined } {
  const text = machine.node.annotations['nodewave.io/desired-config']
  return { text, digest: text === undefined ? undefined : JSON.parse(text).DIGEST }
}

function expectHonest(machine: Machine): void {
  const { status } = machine
  const { text, digest } = assignedTo(machine)
  if (text !== undefined) {
    expect(ENDS).toContain(status?.phase)
    expect(status?.digest).toBe(digest)
    if (status?.phase === 'Applied') expect(status.active).toBe(digest)
    else expect(status?.error ?? status?.needs).toBeDefined()
  }
  expect(silentDifferences(machine)).toEqual([])
  if (status?.phase !== 'Failed') expect(machine.host.services.healthyVersion()).toBeDefined()
}

/** Nobody restarts the kubelet of a machine that nobody touches. */
async function expectRest(machine: Machine): Promise<void> {
  const { mainPid } = await machine.host.services.show('kubelet.service')
  await machine.clock.advance(90 * MINUTE)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
}

async function endsHonestly(events: readonly Event[]): Promise<void> {
  const machine = furnished()
  machine.start()
  await play(machine, events)
  await comeToRest(machine)
  expectHonest(machine)
  await expectRest(machine)
}

test('machine ends in what its status says, and rests there, whatever happened to it', async () => {
  await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 14 }), endsHonestly), {
    numRuns: Number(process.env.HISTORIES ?? 40),
  })
}, 600_000)

test('machine does not say that nothing was done to it when an older agent refuses to go on with what a newer one began', async () => {
  const begun = { do: 'assign', which: 2 } as const
  const wait = { do: 'wait', which: 100 } as const
  await endsHonestly([begun, wait, { do: 'agent', which: 0 }, begun, wait])
})
