import { expect, test } from 'vitest'
import {
  flagsToAdd,
  flagValue,
  healthzUrl,
  isSameFlags,
  joinFlags,
  staticPodPath,
  withoutFlag,
} from '../../../src/agent/kubelet/kubelet-flags.ts'

test('flag value is the last one, however it is written', () => {
  expect(flagValue(['--v=1', '--v', '2'], 'v')).toBe('2')
  expect(flagValue(['--v', '1', '--v=2=3'], 'v')).toBe('2=3')
  expect(flagValue(['--vmodule=a'], 'v')).toBeUndefined()
})

test('flag may be written with underscores, as the kubelet takes it', () => {
  expect(flagValue(['--healthz_port=10300', '--config_dir', '/c'], 'healthz-port')).toBe('10300')
  expect(withoutFlag(['--config_dir', '/c', '--v=1', '--config_dir=/d'], 'config-dir')).toEqual(['--v=1'])
})

test('flag is taken out with its value', () => {
  expect(withoutFlag(['--config', '/a', '--v=1', '--config=/b', '--config-dir=/c'], 'config')).toEqual([
    '--v=1',
    '--config-dir=/c',
  ])
})

test('flags are joined by one blank, and nothing where there are none', () => {
  expect(joinFlags(undefined, ' --a ', '', '--b')).toBe('--a --b')
  expect(joinFlags(undefined, '')).toBe('')
})

test.each([
  [{}, [], 'http://127.0.0.1:10248/healthz'],
  [{ healthzPort: 10300, healthzBindAddress: '0.0.0.0' }, [], 'http://127.0.0.1:10300/healthz'],
  [{ healthzPort: 10300 }, ['--healthz-port=10400', '--healthz-bind-address=fd00::1'], 'http://[fd00::1]:10400/healthz'],
  [{ healthzPort: 0 }, [], undefined],
])('health endpoint is where %j and %j put it', (document, args, url) => {
  expect(healthzUrl(document, args)).toBe(url)
})

test.each([
  [{ staticPodPath: '/etc/kubernetes/manifests/' }, [], '/etc/kubernetes/manifests'],
  [{ staticPodPath: '/etc/kubernetes/manifests' }, ['--pod-manifest-path=/srv/static'], '/srv/static'],
  [{ staticPodPath: '/etc//kubernetes/x/../manifests/.' }, [], '/etc/kubernetes/manifests'],
  [{ staticPodPath: '' }, [], undefined],
  [{ staticPodPath: 'manifests' }, [], undefined],
  [{}, [], undefined],
])('static pods of %j with %j are in %j', (document, args, expected) => {
  expect(staticPodPath(document, args)).toBe(expected)
})

test.each([
  ['--v=2', '--v=2', ''],
  ['--v=2 --max-pods=60', '--max-pods=60 --v=3', '--v=3'],
  ['--v=2 --v=3', '--v=2', '--v=2'],
  ['--v 2', '--v=2', ''],
  ['--v=3', '--v=2 --v=3', '--v=2 --v=3'],
  ['--fail-swap-on --v=2', '--fail-swap-on=true', ''],
  ['', '--v=2', '--v=2'],
])('flags "%s" of the machine leave "%3$s" of "%2$s" to add', (local, ours, added) => {
  expect(flagsToAdd(local, ours)).toBe(added)
})

test.each([
  ['--v=2 --max-pods=60', '--max-pods=60 --v=2', true],
  ['--v 2 --fail-swap-on', '--fail-swap-on=true --v=2', true],
  ['--v=2 --v=3', '--v=3 --v=2', false],
  ['--v=2', '--v=2 --max-pods=60', false],
  ['--v=2', '--v=3', false],
])('flags "%s" and "%s" mean the same: %s', (a, b, expected) => {
  expect(isSameFlags(a, b)).toBe(expected)
})
