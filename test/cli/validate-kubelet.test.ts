import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { PreflightSubject, PreflightVerdict } from '../../src/agent/ports.ts'
import type { Judge } from '../../src/cli/validate/ask-kubelets.ts'
import { validateCommand } from '../../src/cli/validate.ts'
import { aFolder, anIo, FLEET, type Outcome } from './run-cli.ts'

const TWO_POOLS = { ...FLEET, 'pools/gpu.yaml': `${FLEET['pools/gpu.yaml']}  kubelet: {layout: env, version: "1.36.3"}\n` }

/** A kubelet at /opt/kubelet that says this, and remembers what it was asked. */
function aKubelet(verdict: PreflightVerdict, version = 'v1.35.4') {
  const asked: { subject: PreflightSubject; config: string | undefined }[] = []
  const judge: Judge = {
    version: async () => version,
    preflight: async (subject) => {
      asked.push({ subject, config: subject.config && (await readFile(subject.config, 'utf8')) })
      return verdict
    },
  }
  return { asked, judge }
}

async function validate(files: Readonly<Record<string, string>>, judge: Judge, args: readonly string[] = []): Promise<Outcome> {
  const { io, outcome } = anIo(await aFolder(files))
  await validateCommand(io, { judge }).parseAsync(['--kubelet', '/opt/kubelet', ...args], { from: 'user' })
  return outcome()
}

test('validate has the kubelet judge the flags and configuration of the pools of its version, and names the others', async () => {
  const { asked, judge } = aKubelet({ ok: true, warnings: [] })
  expect(await validate(TWO_POOLS, judge)).toEqual({
    stdout: `pool "gpu" is not judged: it wants kubelet 1.36.3, and the given kubelets are 1.35.4
kubelet 1.35.4 accepts pool "workers" (only the fields from Git: on a node they are merged over the node's own file)

valid: 2 NodePools, 1 FlagSet, 1 KubeletConfig, 1 NodeOverride
`,
    stderr: '',
    code: 0,
  })
  expect(asked).toEqual([
    {
      subject: {
        binary: '/opt/kubelet',
        args: ['--v=2', '--node-ip=192.0.2.1', '--fail-cgroupv1=false'],
        config: expect.stringContaining('kubelet.yaml'),
      },
      config: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 110\n',
    },
  ])
})

test('validate shows the line of the field that the kubelet refuses and ends with 2', async () => {
  const { judge } = aKubelet({ ok: false, message: 'invalid configuration: maxPods (--max-pods) 110 must be less' })
  expect(await validate(FLEET, judge)).toEqual({
    stdout: `base.yaml:6:14  maxPods: 110
                         ^^^
  kubelet 1.35.4 refuses: invalid configuration: maxPods (--max-pods) 110 must be less
  used by pools/workers.yaml:7:14

pool "gpu" is not judged: it names no kubelet version
kubelet 1.35.4 refuses pool "workers" (only the fields from Git: on a node they are merged over the node's own file)

invalid: 1 error
`,
    stderr: '',
    code: 2,
  })
})

test('validate shows the line of the flag that the kubelet refuses', async () => {
  const { judge } = aKubelet({ ok: false, message: 'failed to parse kubelet flag: invalid argument "x" for "--node-ip" flag' })
  expect((await validate(FLEET, judge)).stdout).toContain('baseline.yaml:5:26  flags: {v: 2, node-ip: "{{ node.internalIP }}"}\n')
})

test("validate points to the pool's version when the kubelet names nothing that the repository sets", async () => {
  const { judge } = aKubelet({ ok: false, message: 'systemd version 219 is too old' })
  expect((await validate(FLEET, judge)).stdout).toContain(`pools/workers.yaml:7:14  version: "1.35.4"
                                  ^^^^^^^^
  kubelet 1.35.4 refuses: systemd version 219 is too old

`)
})

test('validate passes on what the kubelet takes and does not understand, once for all pools that share it', async () => {
  const second = FLEET['pools/workers.yaml'].replace('name: workers', 'name: others').replace('role: worker', 'role: other')
  const { judge } = aKubelet({ ok: true, warnings: ['strict decoding error: unknown field "maxPods"'] })
  const { stdout, code } = await validate({ ...FLEET, 'pools/others.yaml': second }, judge, ['-o', 'json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    valid: true,
    problems: [
      {
        severity: 'warning',
        reason: 'ToldByKubelet',
        file: 'base.yaml',
        line: 6,
        column: 14,
        found: '110',
        message: 'kubelet 1.35.4 accepts it, but warns: strict decoding error: unknown field "maxPods"',
        usedBy: [
          { file: 'pools/others.yaml', line: 7, column: 14 },
          { file: 'pools/workers.yaml', line: 7, column: 14 },
        ],
      },
    ],
    kubelets: [
      { pool: 'gpu', verdict: 'not judged', remark: 'pool "gpu" is not judged: it names no kubelet version' },
      {
        pool: 'others',
        verdict: 'accepted',
        remark:
          'kubelet 1.35.4 accepts pool "others" (only the fields from Git: on a node they are merged over the node\'s own file)',
      },
      {
        pool: 'workers',
        verdict: 'accepted',
        remark:
          'kubelet 1.35.4 accepts pool "workers" (only the fields from Git: on a node they are merged over the node\'s own file)',
      },
    ],
  })
})

test('validate asks no kubelet about a fleet that is not valid', async () => {
  const { asked, judge } = aKubelet({ ok: true, warnings: [] })
  const broken = { ...FLEET, 'base.yaml': FLEET['base.yaml'].replace('maxPods', 'maxPodz') }
  expect((await validate(broken, judge)).code).toBe(2)
  expect(asked).toEqual([])
})

test('validate says which file is no kubelet', async () => {
  const judge: Judge = {
    version: () => Promise.reject(new Error('"/opt/kubelet --version": exit 0: true (GNU coreutils) 9.1\nCopyright')),
    preflight: () => Promise.reject(new Error('not reached')),
  }
  await expect(validate(FLEET, judge)).rejects.toThrow(
    /^failed to run "\/opt\/kubelet" to read its version: "\/opt\/kubelet --version": exit 0: true \(GNU coreutils\) 9\.1$/,
  )
})
