import { expect, test } from 'vitest'
import { fieldManagers } from '../../../src/controller/cache/field-managers.ts'

test('field manager is known of labels, annotations and the list of taints, where it is not nodewave', () => {
  const managedFields = [
    { manager: 'kubectl-label', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:tier': {} } } } },
    {
      manager: 'autoscaler',
      fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:example.com/owner': {} } }, 'f:spec': { 'f:taints': {} } },
    },
    { manager: 'nodewave', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:zone': {} } } } },
  ]
  expect(fieldManagers({ metadata: { name: 'n0', managedFields } })).toEqual({
    'label tier': 'kubectl-label',
    'annotation example.com/owner': 'autoscaler',
    taints: 'autoscaler',
  })
})

test('field managers are none when the server notes none, or something else', () => {
  for (const managedFields of [undefined, 'x', [null, 1, { manager: 7 }, { manager: 'a', fieldsV1: { 'f:metadata': 'x' } }]])
    expect(fieldManagers({ metadata: { name: 'n0', managedFields } })).toEqual({})
})
