import { expect, test } from 'vitest'
import { nodeCommands, poolCommands } from '../../src/dashboard/page/commands.js'

test('the commands of a pool pause it, or end the pause that holds it up', () => {
  const first = (paused: string) => poolCommands({ name: 'workers', paused })[0]
  expect(['', 'Pool', 'Fleet'].map(first)).toEqual(['nodewave pause workers', 'nodewave resume workers', 'nodewave resume --all'])
})

test('a pool can be promoted, retried and rolled back', () => {
  expect(poolCommands({ name: 'workers', paused: '' }).slice(1)).toEqual([
    'nodewave promote workers',
    'nodewave retry workers',
    'nodewave rollback workers',
  ])
})

test('a node can be held and released', () => {
  expect(nodeCommands('worker-1.example.com')).toEqual([
    'nodewave hold worker-1.example.com',
    'nodewave release worker-1.example.com',
  ])
})

test.each(['a b', '$(reboot)', '--all', 'a;b', ''])(
  'the name "%s", which a shell would not take as a word, gets no command',
  (name) => {
    expect([...poolCommands({ name, paused: '' }), ...nodeCommands(name)]).toEqual([])
  },
)
