import { existsSync, readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgePreflight, kubeletProgram, preflight, preflightArgs } from '../../../src/agent/adapters/kubelet-program.ts'

const ACCEPTED = { code: 1, stdout: '', stderr: 'validate CRI v1 runtime API for endpoint', timedOut: false }
const ended = (stderr: string, code = 1) => judgePreflight({ code, stdout: '', stderr, timedOut: false })

test('preflightArgs leaves out what would act on the cluster and puts harmless values last', () => {
  const args = [
    '--kubeconfig=/etc/kubernetes/kubelet.conf',
    '--bootstrap-kubeconfig',
    '/etc/b.conf',
    '--config=/old.yaml',
    '--v=2',
    '--lock-file',
    '/l',
    '--lock_file=/l',
  ]
  expect(preflightArgs({ binary: '/k', args, config: '/staged.yaml' }, '/scratch')).toEqual([
    '--v=2',
    '--config=/staged.yaml',
    '--kubeconfig=/scratch/kubeconfig',
    '--container-runtime-endpoint=unix:///scratch/none.sock',
    '--root-dir=/scratch',
    '--cert-dir=/scratch',
  ])
})

test('judgePreflight accepts when the kubelet got as far as its container runtime', () => {
  const stderr =
    'E1121 10:00:00.1 9 run.go:72] "command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///x\\": …"'
  expect(ended(stderr)).toEqual({ ok: true, warnings: [] })
})

test('judgePreflight passes on what lenient decoding skipped', () => {
  const stderr = [
    'I1121 10:00:00.1 9 x.go:1] "Using lenient decoding as strict decoding failed" err="strict decoding error: unknown field \\"maxPodz\\""',
    'E1121 10:00:00.2 9 run.go:72] "command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint"',
  ].join('\n')
  expect(ended(stderr)).toEqual({ ok: true, warnings: ['strict decoding error: unknown field "maxPodz"'] })
})

test("judgePreflight gives the kubelet's own reason for an unknown flag", () => {
  const stderr = 'E1121 10:00:00.1 9 run.go:72] "command failed" err="failed to parse kubelet flag: unknown flag: --no-such"\n'
  expect(ended(stderr)).toEqual({ ok: false, message: 'failed to parse kubelet flag: unknown flag: --no-such' })
})

test('judgePreflight gives the first line of a panic, not the stack below it', () => {
  const stderr = 'panic: cannot set feature gate: unrecognized feature gate: NoSuchGate\n\ngoroutine 1 [running]:\nmain.main()\n'
  expect(ended(stderr, 2)).toEqual({ ok: false, message: 'cannot set feature gate: unrecognized feature gate: NoSuchGate' })
})

test('judgePreflight refuses a kubelet that says nothing at all', () => {
  expect(ended('', 126)).toEqual({ ok: false, message: 'kubelet exited with 126 before it judged its configuration' })
})

test('judgePreflight refuses a kubelet that gives no verdict in time', () => {
  expect(judgePreflight({ code: -1, stdout: '', stderr: 'I1121 starting', timedOut: true })).toEqual({
    ok: false,
    message: 'kubelet gave no verdict on its flags and configuration within 30 s',
  })
})

test.each([
  ['root', 0, []],
  ['another user, as root of a namespace of its own', 1000, ['--map-root-user']],
])('preflight runs the kubelet apart from the machine, for %s, and leaves nothing behind', async (_, uid, mapped) => {
  const calls: (readonly string[])[] = []
  let kubeconfig = ''
  const run = async (program: string, args: readonly string[]) => {
    calls.push([program, ...args])
    kubeconfig = args.find((arg) => arg.startsWith('--kubeconfig='))?.slice('--kubeconfig='.length) ?? ''
    expect(readFileSync(kubeconfig, 'utf8')).toContain('"server":"https://127.0.0.1:1"')
    return ACCEPTED
  }

  expect(await preflight({ binary: '/k', args: ['--v=2'] }, { run, uid })).toEqual({ ok: true, warnings: [] })
  expect(calls.map((call) => call.slice(0, call.indexOf('--v=2')))).toEqual([
    ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', ...mapped, '--', '/k'],
  ])
  expect(existsSync(kubeconfig.slice(0, -'/kubeconfig'.length))).toBe(false)
})

test('preflight judges though somebody has cleared its scratch directory away', async () => {
  const run = async (_: string, args: readonly string[]) => {
    const root = args.find((arg) => arg.startsWith('--root-dir='))?.slice('--root-dir='.length) ?? ''
    rmSync(root, { recursive: true })
    return ACCEPTED
  }

  expect(await preflight({ binary: '/k', args: [] }, { run })).toEqual({ ok: true, warnings: [] })
})

test.each([
  ['fails after it has told', { code: 1, stdout: 'Kubernetes v1.36.3\n' }],
  ['tells nothing that is one', { code: 0, stdout: 'hello\n' }],
])('version of a program that %s is unknown', async (_, { code, stdout }) => {
  const run = async () => ({ code, stdout, stderr: '', timedOut: false })
  await expect(kubeletProgram({ run }).version('/k')).rejects.toThrow(`"/k --version": exit ${code}`)
})

test.each([
  ['its configuration', '/staged.yaml', ['--config=/root/staged.yaml']],
  ['no configuration', undefined, []],
])('preflight of the kubelet below a root judges %s there', async (_, config, stated) => {
  const calls: (readonly string[])[] = []
  const run = async (_program: string, args: readonly string[]) => {
    calls.push(args.filter((arg) => arg.startsWith('--config=') || arg === '/root/k'))
    return ACCEPTED
  }
  const probe = kubeletProgram({ place: (path) => `/root${path}`, run })
  await probe.preflight({ binary: '/k', args: [], ...(config !== undefined && { config }) })
  expect(calls).toEqual([['/root/k', ...stated]])
})
