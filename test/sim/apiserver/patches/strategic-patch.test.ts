import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/sim/apiserver/json.ts'
import { strategicPatch } from '../../../../src/sim/apiserver/patches/strategic-patch.ts'
import { coreSchema } from '../../../../src/sim/apiserver/schema/core-schemas.ts'

const patchPod = (spec: JsonObject, patch: JsonObject) => strategicPatch({ spec }, { spec: patch }, coreSchema('v1/Pod')).spec

test('containers are merged by name, their environment by name, new ones come last', () => {
  const spec = { containers: [{ name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] }] }
  const patch = {
    containers: [
      { name: 'b', image: 'b:1' },
      { name: 'a', env: [{ name: 'Y', value: '2' }] },
    ],
  }

  expect(patchPod(spec, patch)).toEqual({
    containers: [
      {
        name: 'a',
        image: 'a:1',
        env: [
          { name: 'X', value: '1' },
          { name: 'Y', value: '2' },
        ],
      },
      { name: 'b', image: 'b:1' },
    ],
  })
})

test('an item marked for deletion goes, a list without a merge key is replaced', () => {
  const spec = { containers: [{ name: 'a' }, { name: 'b' }], tolerations: [{ key: 'x' }] }

  expect(patchPod(spec, { containers: [{ name: 'a', $patch: 'delete' }], tolerations: [{ key: 'y' }] })).toEqual({
    containers: [{ name: 'b' }],
    tolerations: [{ key: 'y' }],
  })
})

test('$patch: replace puts the patch in the place of object or list', () => {
  const spec = { nodeSelector: { a: '1' }, containers: [{ name: 'a' }, { name: 'b' }] }

  expect(
    patchPod(spec, { nodeSelector: { $patch: 'replace', b: '2' }, containers: [{ $patch: 'replace' }, { name: 'c' }] }),
  ).toEqual({
    nodeSelector: { b: '2' },
    containers: [{ name: 'c' }],
  })
})

test('$retainKeys keeps only the members it names, so that one source of a volume replaces another', () => {
  const spec = { volumes: [{ name: 'v', emptyDir: {} }] }

  expect(patchPod(spec, { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] })).toEqual({
    volumes: [{ name: 'v', hostPath: { path: '/x' } }],
  })
})

test('$setElementOrder orders what it names', () => {
  const spec = { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }
  const patch = {
    '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }],
    containers: [{ name: 'c', image: 'c:2' }],
  }

  expect(patchPod(spec, patch)).toEqual({ containers: [{ name: 'c', image: 'c:2' }, { name: 'a' }, { name: 'b' }] })
})

test('finalizers are a set: added once, removed by $deleteFromPrimitiveList', () => {
  const target = { metadata: { finalizers: ['a', 'b'] } }
  const patch = { metadata: { finalizers: ['b', 'c'], '$deleteFromPrimitiveList/finalizers': ['a'] } }

  expect(strategicPatch(target, patch, coreSchema('v1/Node'))).toEqual({ metadata: { finalizers: ['b', 'c'] } })
})
