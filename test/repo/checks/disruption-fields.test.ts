import { expect, test } from 'vitest'
import { checkDisruptionFields } from '../../../src/repo/checks/disruption-fields.ts'
import { draftOf } from '../../../src/repo/draft.ts'
import { loadFile } from '../../../src/repo/load-file.ts'
import { aDocument } from '../fleets.ts'

function problems(fields: string): (string | undefined)[] {
  const spec = `spec: {nodeSelector: {matchLabels: {}}, rollout: {disruption: {fields: {${fields}}}}}\n`
  const { documents } = loadFile('p.yaml', new TextEncoder().encode(aDocument('NodePool', 'a', spec)))
  return checkDisruptionFields(draftOf(documents, { files: new Map(), clusters: new Set() }).draft).flatMap(
    ({ message, remedy }) => [message, remedy],
  )
}

test('fields that some kubelet has may be stated', () => {
  expect(problems('maxPods: drain, clusterDNS: restart')).toEqual([])
})

test('a misspelt field is refused with the one that is meant', () => {
  expect(problems('maxPodz: drain')).toEqual(['no kubelet has a field "maxPodz" in its configuration', 'did you mean "maxPods"?'])
})
