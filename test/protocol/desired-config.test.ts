import { expect, test } from 'vitest'
import { parseDesiredConfig } from '../../src/protocol/desired-config.ts'

test.each([
  ['a key', '{"KUBELET_VERSION":"1.36.3","NEWER":"x"}'],
  ['a state of the node', '{"KUBELET_VERSION":"1.36.3","NODE_WAS":"Resting"}'],
])('a desired-config is read without %s that only a newer controller knows', (_, annotation) => {
  expect(parseDesiredConfig(annotation)).toEqual({ KUBELET_VERSION: '1.36.3' })
})

test('a desired-config says how the node was when it was assigned', () => {
  expect(parseDesiredConfig('{"NODE_WAS":"Disturbed"}')).toEqual({ NODE_WAS: 'Disturbed' })
})

test('a desired-config with a malformed key is refused, and the key is named', () => {
  expect(() => parseDesiredConfig('{"GRANT":"all"}')).toThrow('desired-config key "GRANT" is malformed: found "all"')
})
