import { expect, test } from 'vitest'
import { checkConfig } from '../../../src/repo/kubelet-knowledge/check-config.ts'

const messagesOf = (memory: string) => checkConfig({ systemReserved: { memory } }, '1.36.3').map(({ message }) => message)

test.for([
  '512Mi',
  '{{ floor(node.memory / 1Mi / 50) }}Mi',
  '{{ max(256, floor(node.memory / 1Mi / 50)) }}Mi',
  '{{ node.memory / 50 }}',
  '{{ node.cpu }}Gi',
  '{{ node.labels["reserved"] }}',
])('a reservation of %s may be one', (memory) => {
  expect(messagesOf(memory)).toEqual([])
})

test.for([
  '{{ node.memory }}Mi',
  '{{ node.memory / 1Ki }}Mi',
  '{{ node.memory * 2 }}',
  '{{ node.name }}Mi',
  '{{ node.cpu }}Foo',
  '{{ node.cpu }} Gi',
  '-{{ node.cpu }}Gi',
])('a reservation of %s is refused before a node is known', (memory) => {
  expect(messagesOf(memory)).toEqual([
    'expected "systemReserved" to be quantities of cpu, memory, ephemeral-storage, pid, none of them negative, nor more than a machine has ' +
      '(node.memory counts bytes); kubelet 1.36.3 accepts nothing else',
  ])
})
