import { expect, test } from 'vitest'
import { type KubeletSample, kubeletSample } from '../../src/render/kubelet-sample.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import { aFleet, WORKERS } from './fleets.ts'

test('a sample has numbers where numbers are calculated, also from labels that nobody knows', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {config: [base], flags: {max-open-files: "{{ node.cpu * 1000 }}"}}`,
    'KubeletConfig base': `config: {maxPods: '{{ node.labels["pods"] + 1 }}', podPidsLimit: "{{ node.memory / 1Mi }}"}`,
  })
  const { args, config } = sampleOf(model)
  expect(args).toEqual(['--max-open-files=4000'])
  expect(config).toContain('maxPods: 50\npodPidsLimit: 16384\n')
})

test.each([
  ['1.34.4', '', 'maxPods: 110', [], 'maxPods: 110\n'],
  ['1.35.4', '', 'maxPods: 110', ['--fail-cgroupv1=false'], 'maxPods: 110\n'],
  ['1.34.4', '', 'failCgroupV1: true', ['--fail-cgroupv1=false'], 'failCgroupV1: true\n'],
  ['1.36.3', '', 'failCgroupV1: false', [], 'failCgroupV1: false\n'],
  ['1.36.3', 'fail-cgroupv1: true', 'maxPods: 110', ['--fail-cgroupv1=true', '--fail-cgroupv1=false'], 'maxPods: 110\n'],
  ['1.36.3', '', 'singleProcessOOMKill: false', ['--fail-cgroupv1=false'], 'singleProcessOOMKill: true\n'],
])(
  'a sample for kubelet %s with flags "%s" and "%s" depends on no cgroup v1 of the machine',
  (version, flags, config, args, text) => {
    const sample = sampleOf(
      aFleet({
        'NodePool workers': `${WORKERS}\nkubelet: {layout: env, version: "${version}", config: [base], flags: {${flags}}}`,
        'KubeletConfig base': `config: {${config}}`,
      }),
    )
    expect(sample.args).toEqual(args)
    expect(sample.config).toContain(text)
  },
)

function sampleOf(model: FleetModel): KubeletSample {
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  return kubeletSample(model, pool)
}
