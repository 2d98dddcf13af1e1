import { expect, test } from 'vitest'
import { AgentError } from '../../../src/agent/agent-error.ts'
import { link } from '../../../src/agent/resources/link.ts'
import { unit } from '../../../src/agent/resources/unit.ts'
import { observeAll } from '../../../src/agent/transaction/observe-all.ts'
import { Machine } from '../support/machine.ts'

function machine() {
  const { host, clock } = new Machine()
  return { host, hands: { ...host, clock } }
}

test('observeAll asks for all units at once when it looks at many resources', async () => {
  const { host, hands } = machine()
  const { services } = host
  const asked: (readonly string[])[] = []
  const all = services.showAll.bind(services)
  services.showAll = (units) => {
    asked.push(units)
    return all(units)
  }
  const { findings } = await observeAll(
    [
      unit.of({ name: 'containerd.service', running: false }),
      link.of({ path: '/etc/link', target: '/srv' }),
      unit.of({ name: 'stranger.service', running: false }),
    ],
    hands,
  )

  expect(asked).toEqual([['containerd.service', 'stranger.service']])
  expect(findings.map(({ subject, change }) => [subject, change?.disruption])).toEqual([
    ['containerd.service', 'restart'],
    ['/etc/link', 'none'],
    ['stranger.service', undefined],
  ])
})

test('observeAll tells what cannot be compared, and looks at the rest', async () => {
  const { host, hands } = machine()
  host.files.put('/etc/taken', 'a file')
  const { findings, strange } = await observeAll(
    [link.of({ path: '/etc/taken', target: '/srv' }), link.of({ path: '/etc/link', target: '/srv' })],
    hands,
  )

  expect(findings.map(({ subject }) => subject)).toEqual(['/etc/link'])
  expect(strange).toEqual([{ subject: '/etc/taken', error: expect.any(AgentError) }])
})

test('observeAll throws when the service manager does not answer: nothing is known of any unit then', async () => {
  const { host, hands } = machine()
  host.services.showAll = () => Promise.reject(new Error('systemctl show: exit 1: Connection refused'))

  await expect(observeAll([unit.of({ name: 'containerd.service', running: true })], hands)).rejects.toThrow('Connection refused')
})
