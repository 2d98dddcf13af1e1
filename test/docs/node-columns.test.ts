/** The columns that `kubectl get nodes` can show of nodewave. A path that leads nowhere would print <none> for every node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namesFor } from '../../src/protocol/names.ts'

const escaped = (key: string) => key.replaceAll('.', '\\.')

test('the columns of the examples lead to the labels and annotations that nodewave writes', () => {
  const names = namesFor()
  const text = readFileSync(join(import.meta.dirname, '../../examples/node-columns.txt'), 'utf8')
  const [headers = [], paths = []] = text
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/))

  expect(headers).toEqual(['NODE', 'POOL', 'KUBELET', 'CORDONED', 'HELD', 'REPORT'])
  expect(paths).toEqual([
    '.metadata.name',
    `.metadata.labels.${escaped(names.pool)}`,
    '.status.nodeInfo.kubeletVersion',
    '.spec.unschedulable',
    `.metadata.annotations.${escaped(names.hold)}`,
    `.metadata.annotations.${escaped(names.status)}`,
  ])
})
