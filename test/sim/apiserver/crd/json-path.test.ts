import { expect, test } from 'vitest'
import { valueAtPath } from '../../../../src/sim/apiserver/crd/json-path.ts'

const object = {
  spec: { size: 3, 'a-b': 'dash' },
  metadata: { annotations: { 'x.io/y': 'z' } },
  items: [
    { type: 'Ready', status: 'True' },
    { type: 'Stalled', status: 'False' },
  ],
}

test.each([
  ['.spec.size', [3]],
  ['.spec.a-b', ['dash']],
  ["{.metadata.annotations['x.io/y']}", ['z']],
  ['.metadata.annotations.x\\.io/y', ['z']],
  ['.items[1].type', ['Stalled']],
  ['.items[*].type', ['Ready', 'Stalled']],
  ['.items[?(@.type=="Ready")].status', ['True']],
  [".items[?(@.type=='None')].status", []],
  ['.spec.none.at.all', []],
  ['spec.size', []],
] as [string, unknown[]][])('the path %s gives %j', (path, expected) => {
  expect(valueAtPath(object, path)).toEqual(expected)
})
