import { expect, test } from 'vitest'
import { kubeletSample } from '../../src/render/kubelet-sample.ts'
import { aFleet, WORKERS } from './fleets.ts'

test('a sample has numbers where numbers are calculated, also from labels that nobody knows', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {config: [base], flags: {max-open-files: "{{ node.cpu * 1000 }}"}}`,
    'KubeletConfig base': `config: {maxPods: '{{ node.labels["pods"] + 1 }}', podPidsLimit: "{{ node.memory / 1Mi }}"}`,
  })
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  const { args, config } = kubeletSample(model, pool)
  expect(args).toEqual(['--max-open-files=4000'])
  expect(config).toContain('maxPods: 50\npodPidsLimit: 16384\n')
})
