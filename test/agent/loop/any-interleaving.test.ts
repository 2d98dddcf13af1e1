import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { SimulatedServices } from '../../../src/sim/host/simulated-services.ts'
import { CONFIG, contents, event, furnished, kubeadm, MOTD, NEW_AGENT, OTHERS, play } from '../support/happenings.ts'
import type { Machine } from '../support/machine.ts'

const MINUTE = 60_000

/** Everything is well again, and the newest agent runs. */
async function heal(machine: Machine): Promise<void> {
  machine.kill()
  machine.host.faults.network = undefined
  machine.host.faults.disk = undefined
  machine.host.injectCrash(() => undefined)
  machine.kinds = NEW_AGENT
  machine.start()
  await machine.clock.advance(10 * MINUTE)
}

/** The last word of everybody else, while nothing is under way. */
async function changeAll(machine: Machine): Promise<void> {
  for (const what of ['kubeadm', 'edit', 'flags', 'apt']) await OTHERS[what]?.(machine, 9, 0)
}

/** Nobody touches the kubelet of a machine that nobody touches. */
async function expectRest(machine: Machine): Promise<void> {
  await machine.clock.advance(30 * MINUTE)
  const restarts: string[] = []
  machine.host.services.restart = async (unit) => {
    restarts.push(unit)
    return SimulatedServices.prototype.restart.call(machine.host.services, unit)
  }
  await machine.clock.advance(60 * MINUTE)
  expect(restarts).toEqual([])
}

function expectWanted({ host: { files, services } }: Machine): void {
  expect(parse(files.text(CONFIG) ?? '')).toMatchObject({ clusterDomain: 'theirs-9.local', maxPods: 51 })
  expect(files.text(CONFIG)).not.toMatch(/maxPods: 5[23]|ours/)
  expect(files.text(MOTD)).toBe('ours 0\n')
  expect(files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9 --v=3"\n')
  expect(files.text('/sys/lamps/red')).toBe('theirs')
  expect(services.healthyVersion()).toBe('v1.36.3')
}

/** What is left is what others made of the machine. */
function expectTheirs({ host: { files, services } }: Machine): void {
  expect(files.text(CONFIG)).toBe(kubeadm('theirs-9.local'))
  expect(files.text(MOTD)).toBe('theirs 9\n')
  expect(files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9"\n')
  expect(files.text('/sys/lamps/red')).toBe('theirs')
  expect(services.healthyVersion()).toBe('v1.35.16')
}

test('agent ends in what is wanted and rests there, and gives back what others made, whatever happened in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 14 }), async (events) => {
      const machine = furnished()
      machine.start()
      await play(machine, events)
      await heal(machine)
      await changeAll(machine)
      const digest = machine.assign(contents(machine)[0] ?? {}, { ASSIGNED: 'last' })
      await machine.untilDigest(digest, 'Applied')
      await expectRest(machine)
      expect(machine.status).toMatchObject({ phase: 'Applied', digest })
      expectWanted(machine)

      machine.annotate(null)
      await machine.until('Reverted')
      await expectRest(machine)
      expectTheirs(machine)
    }),
    { numRuns: Number(process.env.HISTORIES ?? 60) },
  )
}, 600_000)
