import { expect, test } from 'vitest'
import { file } from '../../../src/agent/resources/file.ts'
import { type Finding, type Resource, resource } from '../../../src/agent/resources/resource.ts'
import { unit } from '../../../src/agent/resources/unit.ts'
import type { Change } from '../../../src/agent/transaction/change.ts'
import { plan, withinGrant } from '../../../src/agent/transaction/plan.ts'

const aFile = (path: string): Resource => resource(file, { path }, { subject: path })
const aUnit = (name: string, restartOn: readonly string[] = []): Resource =>
  resource(unit, { name }, { subject: name, restartOn })
const removal = (path: string): Finding => ({ subject: path, change: { kind: 'remove', path }, disruption: 'none' })
const state = (name: string, change: Omit<Extract<Change, { kind: 'unit' }>, 'kind' | 'unit'>): Finding => ({
  subject: name,
  change: { kind: 'unit', unit: name, ...change },
  disruption: 'none',
})
const asIs = (subject: string): Finding => ({ subject, change: undefined, disruption: 'none' })

test('plan has no step and restarts nothing when everything is as it should be', () => {
  const resources = [aFile('/a'), aUnit('kubelet.service', ['/a'])]

  expect(plan(resources, [asIs('/a'), asIs('kubelet.service')])).toEqual({
    steps: [],
    needs: 'none',
    activation: { reload: false, restarts: [] },
  })
})

test('plan restarts only units that read what changes, the kubelet last', () => {
  const resources = [aUnit('kubelet.service', ['/a']), aUnit('containerd.service', ['/a', '/b']), aUnit('other.service', ['/c'])]

  const { needs, activation } = plan(resources, [removal('/a'), removal('/b')])

  expect(needs).toBe('restart')
  expect(activation.restarts).toEqual(['containerd.service', 'kubelet.service'])
})

test('plan reads unit files anew when one of them changes', () => {
  expect(plan([], [removal('/etc/systemd/system/a.service')]).activation.reload).toBe(true)
  expect(plan([], [removal('/etc/motd')]).activation.reload).toBe(false)
})

test('plan stops units before their files go and starts them after their files have come', () => {
  const findings = [
    state('new.service', { running: true }),
    removal('/f'),
    state('old.service', { running: false, enabled: false }),
  ]

  expect(plan([], findings).steps.map(({ change }) => (change.kind === 'unit' ? change.unit : change.path))).toEqual([
    'old.service',
    '/f',
    'new.service',
  ])
})

test('plan does not restart a unit that it starts', () => {
  const findings = [removal('/f'), state('new.service', { running: true })]

  expect(plan([aUnit('new.service', ['/f'])], findings).activation.restarts).toEqual([])
})

test('plan leaves to a grant of none what restarts nothing', () => {
  const whole = plan([aUnit('kubelet.service', ['/a'])], [removal('/a'), removal('/b')])

  expect(withinGrant(whole, 'none').map(({ change }) => change)).toEqual([{ kind: 'remove', path: '/b' }])
})
