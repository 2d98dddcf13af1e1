import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

/** What a node that kubeadm made runs already. */
const AS_IT_IS = { version: '1.35.4' }

test.each([
  ['at once when it has run for an hour', 3_600_000, 0],
  ['when it has run for three seconds, when it was started a moment ago', 1000, 2000],
])('agent takes over a kubelet that is as assigned %s', async (_, age, wait) => {
  const machine = new Machine({ version: '1.35.4' })
  await machine.clock.advance(age)
  machine.assign(AS_IT_IS)
  machine.start()
  await machine.until('Applied')

  expect(machine.clock.elapsed() - age).toBe(wait)
})

test('agent watches a kubelet for three seconds after a change that leaves it running', async () => {
  const machine = new Machine({ version: '1.35.4' })
  await machine.clock.advance(3_600_000)
  machine.assign({ ...AS_IT_IS, host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) })
  machine.start()
  await machine.until('Applied')

  expect(machine.clock.elapsed() - 3_600_000).toBe(3000)
})
