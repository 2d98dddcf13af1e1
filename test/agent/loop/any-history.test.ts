import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from '../support/machine.ts'

const SYSCTLS = { 'net.bridge.bridge-nf-call-iptables': '0', 'vm.swappiness': '10' }

/** Things that can be assigned: good ones that overlap in what they manage, and bad ones of every kind. */
function contents(machine: Machine): readonly NodeContent[] {
  const release = (version: string, more: object = {}): string => JSON.stringify({ kubelet: machine.release(version), ...more })
  const motd = (content: string): object => ({ files: [{ path: '/etc/motd', content, mode: '0640', owner: 'kube' }] })
  const tuned = { units: [{ name: 'tuned.service', content: '[Service]\n[Install]\n', enabled: true, state: 'running' }] }
  return [
    { version: '1.36.3', flags: '--v=3', config: 'maxPods: 50\n', host: release('1.36.3', motd('three\n')) },
    { flags: '--v=4', host: JSON.stringify({ ...motd('four\n'), ...tuned }) },
    { config: 'clusterDomain: other.local\n', host: JSON.stringify({ files: [{ path: '/etc/old', state: 'absent' }] }) },
    { version: '1.36.1', host: release('1.36.1', tuned) },
    { flags: '--container-runtime-endpoint=unix:///none.sock', host: JSON.stringify(motd('crash\n')) },
    { flags: '--no-such-flag', config: 'maxPods: 1\n' },
    { host: JSON.stringify({ swap: 'off', kernelModules: ['br_netfilter', 'ip_vs'], sysctls: SYSCTLS }) },
    { version: '1.36.2', flags: '--v=1' },
  ]
}

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('assign' as const), which: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill' as const), which: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), which: fc.constantFrom(100, 4000, 20_000, 900_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('network' as const, 'power' as const), which: fc.nat({ max: 1 }) }) },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

function furnished(): Machine {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/etc/old', 'old\n', { mode: 0o644 })
  machine.host.files.put('/etc/fstab', '/dev/sda2 none swap sw 0 0\n')
  void machine.host.kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  return machine
}

async function play(machine: Machine, events: readonly Event[]): Promise<void> {
  const choices = contents(machine)
  let stamp = 0
  for (const { do: what, which } of events) {
    if (what === 'assign') machine.assign(choices[which] ?? {}, { ASSIGNED: String(stamp++) })
    if (what === 'remove') machine.annotate(null)
    if (what === 'wait') await machine.clock.advance(which)
    if (what === 'network') machine.host.faults.network = which === 0 ? 'lost' : undefined
    if (what === 'power') machine.host.powerOff()
    if (what === 'power' || what === 'kill') {
      machine.kill()
      if (what === 'power') machine.host.powerOn()
      machine.start(what === 'kill' ? { afterEffect: which } : undefined)
    }
  }
}

/** Everything is well again, and a fresh agent runs. */
async function heal(machine: Machine): Promise<void> {
  machine.kill()
  machine.host.faults.network = undefined
  machine.start()
  await machine.clock.advance(1000)
}

test('agent brings the host to what was assigned last, and back to the very beginning, whatever happened in between', async () => {
  const clean = furnished()
  const original = clean.hostFiles()
  const kernel = clean.host.kernel.snapshot()
  clean.start()
  const wanted = contents(clean)[0] ?? {}
  await clean.untilDigest(clean.assign(wanted), 'Applied')
  const applied = clean.hostFiles()

  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 15 }), async (events) => {
      const machine = furnished()
      machine.start()
      await play(machine, events)
      await heal(machine)

      await machine.untilDigest(machine.assign(wanted, { ASSIGNED: 'last' }), 'Applied')
      expect(machine.hostFiles()).toEqual(applied)
      expect(machine.host.services.healthyVersion()).toBe('v1.36.3')

      machine.annotate(null)
      await machine.until('Reverted')
      expect(machine.hostFiles()).toEqual(original)
      expect(machine.host.kernel.snapshot()).toEqual(kernel)
      expect(await machine.host.services.show('tuned.service')).toMatchObject({ enabled: false, active: 'inactive' })
      expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
    }),
    { numRuns: Number(process.env.HISTORIES ?? 60) },
  )
}, 600_000)
