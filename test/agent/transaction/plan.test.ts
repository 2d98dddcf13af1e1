import { expect, test } from 'vitest'
import { file } from '../../../src/agent/resources/file.ts'
import type { Finding, Resource } from '../../../src/agent/resources/kind.ts'
import { type UnitSpec, unit } from '../../../src/agent/resources/unit.ts'
import { harmlessRepairs, plan } from '../../../src/agent/transaction/plan.ts'
import { Machine } from '../support/machine.ts'

const aFile = (path: string): Resource => file.of({ path })
const aUnit = (name: string, restartTriggers: readonly string[] = []): Resource => unit.of({ name, restartTriggers })
const asIs = (subject: string): Finding => ({ subject, change: undefined })

/** What is found on a host where the file is there, and should not be. */
function removal(path: string): Promise<Finding> {
  const { host, node } = new Machine()
  host.files.put(path, 'old')
  return aFile(path).observe(host.process(node).ports)
}

/** What is found on a host where the unit runs exactly when it should not. */
function state(spec: UnitSpec): Promise<Finding> {
  const units = spec.running ? [] : [spec.name]
  const { host, node } = new Machine({ units })
  return unit.of(spec).observe(host.process(node).ports)
}

test('plan has no step and restarts nothing when everything is as it should be', () => {
  const resources = [aFile('/a'), aUnit('kubelet.service', ['/a'])]

  expect(plan(resources, [asIs('/a'), asIs('kubelet.service')])).toEqual({
    steps: [],
    needs: 'none',
    activation: { reload: false, restarts: [], required: [], stopped: [] },
  })
})

test('plan restarts only units that read what changes, the kubelet last', async () => {
  const resources = [aUnit('kubelet.service', ['/a']), aUnit('containerd.service', ['/a', '/b']), aUnit('other.service', ['/c'])]

  const { needs, activation } = plan(resources, [await removal('/a'), await removal('/b')])

  expect(needs).toBe('restart')
  expect(activation.restarts).toEqual(['containerd.service', 'kubelet.service'])
})

test('plan reads unit files again when one of them changes', async () => {
  expect(plan([], [await removal('/etc/systemd/system/a.service')]).activation.reload).toBe(true)
  expect(plan([], [await removal('/etc/motd')]).activation.reload).toBe(false)
})

test('plan stops units before their files go and starts them after their files have come', async () => {
  const findings = [
    await state({ name: 'new.service', running: true }),
    await removal('/f'),
    await state({ name: 'old.service', running: false, enabled: false }),
  ]

  expect(plan([], findings).steps.map(({ change }) => change.subjects[0])).toEqual(['old.service', '/f', 'new.service'])
})

test('plan does not restart a unit that it starts', async () => {
  const findings = [await removal('/f'), await state({ name: 'new.service', running: true })]

  expect(plan([aUnit('new.service', ['/f'])], findings).activation.restarts).toEqual([])
})

test('plan repairs by itself what restarts nothing', async () => {
  const whole = plan([aUnit('kubelet.service', ['/a'])], [await removal('/a'), await removal('/b')])

  expect(harmlessRepairs(whole).map(({ change }) => change.subjects[0])).toEqual(['/b'])
})
