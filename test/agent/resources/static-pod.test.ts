import { expect, test } from 'vitest'
import { KUBELET_UNIT } from '../../../src/agent/paths.ts'
import { STATIC_POD_KEY } from '../../../src/protocol/static-pods.ts'
import { Machine } from '../support/machine.ts'
import { aStaticPod, MANIFESTS } from '../support/static-pods.ts'

const MINUTE = 60_000
const PATH = `${MANIFESTS}/dns.yaml`

function contentOf(...staticPods: ReturnType<typeof aStaticPod>[]) {
  return { host: JSON.stringify({ staticPods }) }
}

test('a static pod is written where the kubelet reads it, for root alone, and restarts nothing', async () => {
  const machine = new Machine()
  machine.start()
  const { mainPid } = await machine.host.services.show(KUBELET_UNIT)
  machine.assign(contentOf(aStaticPod()))
  await machine.until('Applied')

  expect(machine.host.files.text(PATH)).toBe(aStaticPod().content)
  expect((await machine.host.files.stat(PATH))?.mode).toBe(0o600)
  expect((await machine.host.services.show(KUBELET_UNIT)).mainPid).toBe(mainPid)
})

test('a static pod that is not Ready in its time is undone, with the words of the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(contentOf(aStaticPod()))
  await machine.until('Applied')
  const digest = machine.assign(contentOf(aStaticPod({ image: 'broken' })))
  const { error } = await machine.untilDigest(digest, 'RolledBack')

  expect(error).toEqual({
    reason: 'StaticPodNotReady',
    message:
      'failed to validate config: static pod "kube-system/dns" is not Ready after 60 s: container "main": ImagePullBackOff: no such image',
  })
  expect(machine.host.files.text(PATH)).toBe(aStaticPod().content)
})

test('a static pod whose kubelet shows the pod of an older manifest is not proved', async () => {
  const machine = new Machine()
  machine.node.mirror = () => ({ digest: 'older', ready: true, restarts: 0, trouble: undefined })
  machine.start()
  machine.assign(contentOf(aStaticPod()))

  expect((await machine.until('RolledBack')).error?.message).toContain('its mirror pod is still that of another manifest')
})

test('a static pod that waits to be Ready makes way for a newer assignment', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(contentOf({ ...aStaticPod({ image: 'broken' }), readySeconds: 300 }))
  await machine.clock.runUntil(() => machine.host.files.text(PATH) !== undefined)
  await machine.clock.advance(MINUTE / 2)
  const began = machine.clock.elapsed()
  const digest = machine.assign(contentOf(aStaticPod()))
  await machine.untilDigest(digest, 'Applied')

  expect(machine.clock.elapsed() - began).toBeLessThan(MINUTE)
})

test('a static pod that is not named any more goes, and a manifest that was there before comes back', async () => {
  const machine = new Machine()
  machine.host.files.put(PATH, 'theirs', { mode: 0o640 })
  machine.host.files.put(`${MANIFESTS}/other.yaml`, '{}')
  const before = machine.hostFiles()
  machine.start()
  machine.assign(contentOf(aStaticPod(), aStaticPod({ name: 'log' })))
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
})

test('a manifest that was a plain file becomes a static pod, and goes with it', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  const { content } = aStaticPod({ image: 'dns:0' })
  const asFile = machine.assign({ host: JSON.stringify({ files: [{ path: PATH, content }] }) })
  await machine.untilDigest(asFile, 'Applied')
  const asPod = machine.assign(contentOf(aStaticPod()))
  await machine.untilDigest(asPod, 'Applied')
  expect(machine.host.files.text(PATH)).toBe(aStaticPod().content)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
})

test('a static pod that somebody changes is reported: to bring it back would start it anew', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(contentOf(aStaticPod()))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(PATH, 'theirs')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual([PATH])
})

test('a static pod needs a grant to restart', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(contentOf(aStaticPod()), { GRANT: 'none' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  expect(machine.host.files.text(PATH)).toBeUndefined()
})

test('a static pod where the kubelet does not look is refused before anything is written', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(contentOf(aStaticPod({ directory: '/etc/pods' })))

  expect((await machine.until('RolledBack')).error).toMatchObject({
    reason: 'StaticPodsElsewhere',
    message: expect.stringContaining('its staticPodPath is "/etc/kubernetes/manifests"'),
  })
  expect(machine.hostFiles()).toEqual(before)
})

test('a static pod in a directory that the same assignment gives to the kubelet is written', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ ...contentOf(aStaticPod({ directory: '/srv/pods' })), config: 'staticPodPath: /srv/pods/\n' })

  expect((await machine.until('Applied', 'RolledBack')).error).toBeUndefined()
})

function mirrored(digest: string) {
  return { digest, ready: true, restarts: 0, trouble: undefined }
}

test('a static pod that another manifest of the host has, too, is refused', async () => {
  const machine = new Machine()
  machine.host.files.put(`${MANIFESTS}/theirs.yaml`, 'metadata: {name: dns, namespace: kube-system}\n')
  const before = machine.hostFiles()
  machine.start()
  machine.assign(contentOf(aStaticPod()))

  expect((await machine.until('RolledBack')).error).toMatchObject({
    reason: 'StaticPodTwice',
    message: expect.stringContaining('"/etc/kubernetes/manifests/theirs.yaml" has a pod "kube-system/dns", too'),
  })
  expect(machine.hostFiles()).toEqual(before)
})

test('a static pod that a new file of the same assignment has, too, is refused', async () => {
  const machine = new Machine()
  machine.start()
  const files = [{ path: `${MANIFESTS}/other.yaml`, content: aStaticPod().content }]
  machine.assign({ host: JSON.stringify({ files, staticPods: [aStaticPod()] }) })

  expect((await machine.until('Applied', 'RolledBack')).error).toMatchObject({
    reason: 'StaticPodTwice',
    message: expect.stringContaining('"/etc/kubernetes/manifests/other.yaml" has a pod "kube-system/dns", too'),
  })
})

test('a file that has the pod of a static pod which is there already is refused', async () => {
  const machine = new Machine()
  machine.start()
  const first = machine.assign(contentOf(aStaticPod()))
  await machine.untilDigest(first, 'Applied')
  const files = [{ path: `${MANIFESTS}/other.yaml`, content: aStaticPod().content }]
  const second = machine.assign({ host: JSON.stringify({ files, staticPods: [aStaticPod()] }) })

  expect((await machine.untilDigest(second, 'RolledBack')).error?.reason).toBe('StaticPodTwice')
})

test('a static pod that a manifest behind a link has, too, is refused', async () => {
  const machine = new Machine()
  machine.host.files.put('/opt/theirs.yaml', 'metadata: {name: dns, namespace: kube-system}\n')
  await machine.host.files.link(`${MANIFESTS}/theirs.yaml`, '../../../opt/theirs.yaml')
  machine.start()
  machine.assign(contentOf(aStaticPod()))

  expect((await machine.until('Applied', 'RolledBack')).error?.reason).toBe('StaticPodTwice')
})

test('a static pod in the directory that a file behind --config-dir names is written', async () => {
  const machine = new Machine()
  machine.start()
  const files = [{ path: '/etc/kubernetes/conf.d/10.conf', content: 'staticPodPath: /srv/pods\n' }]
  const host = JSON.stringify({ files, staticPods: [aStaticPod({ directory: '/srv/pods' })] })
  machine.assign({ flags: '--config-dir=/etc/kubernetes/conf.d', host })

  expect((await machine.until('Applied', 'RolledBack')).error).toBeUndefined()
})

test('static pods are proved side by side: they need no more time than the slowest', async () => {
  const machine = new Machine()
  const names = ['a', 'b', 'c', 'd']
  machine.node.mirror = () => ({ ...mirrored(aStaticPod().digest), ready: machine.clock.elapsed() > 50_000 })
  machine.start()
  machine.assign(contentOf(...names.map((name) => aStaticPod({ name }))))
  await machine.until('Applied')

  expect(machine.clock.elapsed()).toBeLessThan(75_000)
})

test('a static pod that is not Ready yet when the agent restarts is no failed change, and is proved after that', async () => {
  const machine = new Machine()
  const { digest } = aStaticPod()
  let ready = false
  machine.node.mirror = () => ({ ...mirrored(digest), ready })
  machine.start()
  machine.assign(contentOf(aStaticPod()))
  await machine.clock.runUntil(() => machine.host.files.text(PATH) !== undefined)
  await machine.clock.advance(15_000)
  machine.stop()
  await machine.clock.advance(15_000)
  const stopped = machine.status?.phase
  ready = true
  machine.start()
  await machine.until('Applied', 'RolledBack')

  expect([stopped, machine.status?.phase]).toEqual(['Applying', 'Applied'])
})

test('a static pod may move to another file in one assignment', async () => {
  const machine = new Machine()
  machine.start()
  const first = machine.assign(contentOf(aStaticPod()))
  await machine.untilDigest(first, 'Applied')
  const moved = { ...aStaticPod(), path: `${MANIFESTS}/moved.yaml` }
  const second = machine.assign(contentOf(moved))
  await machine.untilDigest(second, 'Applied')

  expect(machine.host.files.text(PATH)).toBeUndefined()
  expect(machine.host.files.text(moved.path)).toContain(STATIC_POD_KEY)
})

test.each([
  ['a second spelling', { path: '/etc/kubernetes/manifests/../../netplan/dns.yaml' }],
  ['a path with a dot', { path: '/etc/kubernetes/./manifests/dns.yaml' }],
  ['a hidden path', { path: `${MANIFESTS}/.dns.yaml` }],
  ['a name that is a path', { name: '../nodes/a' }],
  ['a namespace that is a path', { namespace: 'a/b' }],
  ['no end of its time', { readySeconds: 100_000 }],
])('a host document with %s of a static pod is refused', async (_, wrong) => {
  const machine = new Machine()
  machine.start()
  machine.assign(contentOf({ ...aStaticPod(), ...wrong }))

  expect((await machine.until('RolledBack')).error?.reason).toBe('MalformedHostDocument')
})

test('a static pod is brought back after a failed trial by the host alone, whatever the API server shows', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign(contentOf(aStaticPod()))
  await machine.untilDigest(good, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ ...contentOf(aStaticPod({ image: 'dns:2' })), flags: '--v=9' })
  await machine.untilDigest(bad, 'Applied')
  machine.node.mirror = () => undefined
  machine.host.injectCrash(({ args }) => (args.includes('--v=9') ? 'out of memory' : undefined))
  const { error } = await machine.untilDigest(bad, 'RolledBack')

  expect(error?.reason).toBe('TrialFailed')
  expect(machine.host.files.text(PATH)).toBe(aStaticPod().content)
})
