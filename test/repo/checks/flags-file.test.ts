import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const pool = (kubelet: string) =>
  aDocument('NodePool', 'p', `spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {${kubelet}, flags: {v: 3}}\n`)

test.each(['flagsFile: kubeadm-flags', 'flagsFile: extra-args', 'layout: kubeadm, flagsFile: kubeadm-flags'])(
  'a pool may say %s',
  (kubelet) => {
    expect(problemsOf({ 'p.yaml': pool(kubelet) })).toEqual([])
  },
)

test('flagsFile is refused where it would do nothing', () => {
  expect(problemsOf({ 'p.yaml': pool('layout: env, flagsFile: kubeadm-flags') })).toEqual([
    [
      'p.yaml:6:37  kubelet: {layout: env, flagsFile: kubeadm-flags, flags: {v: 3}}',
      '                                               ^^^^^^^^^^^^^',
      '  flagsFile "kubeadm-flags" has no effect in layout "env"',
      '  remove it, or use layout: kubeadm',
    ].join('\n'),
  ])
})
