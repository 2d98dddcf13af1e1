import { describe, expect, test } from 'vitest'
import { controlPlaneBlocker } from '../../../src/rollout/control-plane/control-plane-blocker.ts'
import type { ControlPlaneView } from '../../../src/rollout/control-plane/control-plane-view.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { aNode } from '../builders/nodes.ts'
import { aHost, but, instance, stacked } from './a-control-plane.ts'

const hosts = [aHost('a'), aHost('b'), aHost('c')]
const three = stacked(hosts)

test('a node of three may be changed while all others are well', () => {
  expect(controlPlaneBlocker('a', three)).toBeUndefined()
})

test.each<[string, ControlPlaneView, string]>([
  [
    'another API server is not ready',
    but(three, 'kube-apiserver-b', { ready: false }),
    'kube-apiserver "kube-apiserver-b" is not ready',
  ],
  ['another etcd member is not healthy', but(three, 'etcd-c', { ready: false }), 'etcd "etcd-c" is not ready'],
  [
    'the manifest of another API server is gone',
    but(three, 'kube-apiserver-b', 'gone'),
    'no kube-apiserver is seen on control-plane node "b"',
  ],
  ['the manifest of another member is gone', but(three, 'etcd-b', 'gone'), 'no etcd is seen on control-plane node "b"'],
  [
    'another node is not Ready',
    { ...three, nodes: [aHost('a'), aHost('b').notReady(), aHost('c')] },
    'control-plane node "b" is not Ready',
  ],
  [
    'another node is cordoned',
    { ...three, nodes: [aHost('a'), aHost('b').cordoned(), aHost('c')] },
    'control-plane node "b" is cordoned',
  ],
  [
    'another node could not be restored',
    { ...three, nodes: [aHost('a'), aHost('b').assignedTo('x').reporting('Failed'), aHost('c')] },
    'control-plane node "b" could not be restored after a change',
  ],
  [
    'another node is at work',
    { ...three, nodes: [aHost('a'), aHost('b').assignedTo('x'), aHost('c')] },
    'control-plane node "b" is being changed',
  ],
  [
    'a pod proves another node',
    { ...three, nodes: [aHost('a'), aHost('b').on('x').noting('Wanted'), aHost('c')] },
    'control-plane node "b" is being changed',
  ],
  [
    'no pod ran on another node',
    { ...three, nodes: [aHost('a'), aHost('b').on('x').noting('Failed'), aHost('c')] },
    'control-plane node "b" can run no pod',
  ],
  [
    'another node is kept cordoned, since no pod ran on it',
    { ...three, nodes: [aHost('a'), aHost('b').on('x').drainedFor('x').noting('Failed'), aHost('c')] },
    'control-plane node "b" can run no pod',
  ],
  [
    'another node is kept cordoned, since its change left it not Ready',
    { ...three, nodes: [aHost('a'), aHost('b').drainedFor('x').on('x').notReady(), aHost('c')] },
    'control-plane node "b" is not Ready',
  ],
  [
    'another node is not Ready, so that no pod proves it',
    { ...three, nodes: [aHost('a'), aHost('b').on('x').noting('Wanted').notReady(), aHost('c')] },
    'control-plane node "b" is not Ready',
  ],
  [
    'another node is kept cordoned, since it could not be restored',
    { ...three, nodes: [aHost('a'), aHost('b').drainedFor('x').assignedTo('x').reporting('Failed'), aHost('c')] },
    'control-plane node "b" could not be restored after a change',
  ],
  [
    'the kubelet of another node has not reported since it was restarted',
    { ...three, nodes: [aHost('a'), { ...aHost('b').on('x'), staleReady: true }, aHost('c')] },
    'control-plane node "b" has a kubelet that has not reported since it was restarted',
  ],
  ['the node of a pod is not there', { ...three, nodes: hosts.slice(0, 2) }, 'the node "c" of "kube-apiserver-c" is not there'],
  ['the watch is broken', { ...three, outdated: 'watch pods: Forbidden' }, 'watch pods: Forbidden'],
])('a node may not be changed while %s', (_, view, why) => {
  expect(controlPlaneBlocker('a', view)?.message).toBe(why)
})

test('a node that is broken itself may be changed', () => {
  const nodes = [aHost('a').notReady(), aHost('b'), aHost('c')]
  const sick = but(but({ ...three, nodes }, 'kube-apiserver-a', { ready: false }), 'etcd-a', 'gone')

  expect(controlPlaneBlocker('a', sick)).toBeUndefined()
  expect(controlPlaneBlocker('b', sick)?.message).toBe('control-plane node "a" is not Ready')
})

describe('etcd', () => {
  test('with a single member there is no other way', () => {
    expect(controlPlaneBlocker('a', stacked([aHost('a')]))).toBeUndefined()
  })

  test('with two members none may be lost', () => {
    expect(controlPlaneBlocker('a', stacked([aHost('a'), aHost('b')]))?.message).toBe(
      'etcd has 2 members and needs 2: add a third one first',
    )
  })

  test('with two members, a third that a node without the role pretends to run makes no majority', () => {
    const pair = stacked([aHost('a'), aHost('b')])
    const pretended = { nodes: [...pair.nodes, aNode('x')], instances: [...pair.instances, instance('etcd', 'x')], answers: [] }

    expect(controlPlaneBlocker('a', pretended)?.message).toBe('etcd has 2 members and needs 2: add a third one first')
  })

  test('on nodes of its own, an API server beside two members may be changed', () => {
    const view = {
      nodes: [
        aHost('a'),
        aNode('e').labelled({ 'node-role.kubernetes.io/etcd': '' }),
        aNode('f').labelled({ 'node-role.kubernetes.io/etcd': '' }),
      ],
      instances: [instance('kube-apiserver', 'a'), instance('etcd', 'e'), instance('etcd', 'f')],
      answers: [],
    }

    expect(controlPlaneBlocker('a', view)).toBeUndefined()
    expect(controlPlaneBlocker('e', view)?.message).toBe('etcd has 2 members and needs 2: add a third one first')
    expect(controlPlaneBlocker('a', but(view, 'etcd-f', 'gone'))?.message).toBe('no etcd is seen on control-plane node "f"')
  })

  test('that is not seen at all is somebody else’s', () => {
    const instances = three.instances.filter(({ component }) => component === 'kube-apiserver')

    expect(controlPlaneBlocker('a', { ...three, instances })).toBeUndefined()
  })
})

test('nodes that have the role alone are changed while the others are Ready', () => {
  expect(controlPlaneBlocker('a', { nodes: hosts, instances: [], answers: [] })).toBeUndefined()
  expect(controlPlaneBlocker('a', { nodes: [aHost('a'), aHost('b').notReady()], instances: [], answers: [] })?.message).toBe(
    'control-plane node "b" is not Ready',
  )
})

describe('a machine that is to join the control plane, and never had a kubelet', () => {
  const joining = aHost('d').notReady().running('')
  const beside = (view: ControlPlaneView, node = joining): ControlPlaneView => ({ ...view, nodes: [...view.nodes, node] })

  test.each([1, 2, 3])('may be changed beside %i others: it has no member of etcd to lose', (count) => {
    expect(controlPlaneBlocker('d', beside(stacked(hosts.slice(0, count))))).toBeUndefined()
  })

  test('waits for the others as any node of the control plane does', () => {
    expect(controlPlaneBlocker('d', beside(but(three, 'etcd-b', { ready: false })))?.message).toBe('etcd "etcd-b" is not ready')
  })

  test('keeps the others from being changed until its own parts are seen', () => {
    expect(controlPlaneBlocker('a', beside(three))?.message).toBe('control-plane node "d" is not Ready')
    expect(controlPlaneBlocker('a', beside(three, aHost('d')))?.message).toBe(
      'no kube-apiserver is seen on control-plane node "d"',
    )
  })
})

test('of two cordoned nodes of a control plane the first by name goes first, and the other waits for it', () => {
  const cordoned = (name: string) => aHost(name).drainedFor('x')
  const both = { ...three, nodes: [aHost('c'), cordoned('b'), cordoned('a')] }

  expect(controlPlaneBlocker('a', both)).toBeUndefined()
  expect(controlPlaneBlocker('b', both)?.message).toBe('control-plane node "a" is being changed')
  expect(controlPlaneBlocker('c', both)?.message).toBe('control-plane node "b" is being changed')
})

test('of a node that is down and one that is drained, the one that is down goes first: what repairs it would wait for ever', () => {
  const nodes = [aHost('a').drainedFor('x'), aHost('b').notReady(), aHost('c')]

  expect(controlPlaneBlocker('b', { ...three, nodes })).toBeUndefined()
  expect(controlPlaneBlocker('a', { ...three, nodes })?.message).toBe('control-plane node "b" is not Ready')
})

test('a node that is down waits while another one is at work', () => {
  const nodes = [aHost('a').drainedFor('x').assignedTo('x'), aHost('b').notReady(), aHost('c')]

  expect(controlPlaneBlocker('b', { ...three, nodes })?.message).toBe('control-plane node "a" is being changed')
})

test('a node is told of one that is down before one that is drained and waits for that, too', () => {
  const nodes = [aHost('a').drainedFor('x'), aHost('b').notReady(), aHost('c')]

  expect(controlPlaneBlocker('c', { ...three, nodes })).toEqual({
    kind: 'sick',
    node: 'b',
    message: 'control-plane node "b" is not Ready',
  })
})

test('a node that is well waits for the drain of another one', () => {
  expect(controlPlaneBlocker('c', { ...three, nodes: [aHost('a').drainedFor('x'), aHost('b'), aHost('c')] })).toEqual({
    kind: 'turn',
    node: 'a',
    message: 'control-plane node "a" is being changed',
  })
})

test('a sound node that somebody else cordoned waits for the drain of another one', () => {
  expect(controlPlaneBlocker('b', { ...three, nodes: [aHost('a').drainedFor('x'), aHost('b').cordoned(), aHost('c')] })).toEqual({
    kind: 'turn',
    node: 'a',
    message: 'control-plane node "a" is being changed',
  })
})

test('a node waits for one that asks for more disruption to undo its change, and is told how to include it when it is held', () => {
  const error = { reason: 'HealthCheckFailed', message: 'no answer' }
  const asking = aHost('a').on('older').assignedTo('new').reporting('Blocked', { needs: 'drain', error })
  const waits = 'control-plane node "a" needs more disruption to undo its change'
  const messageWith = (host: NodeView) => controlPlaneBlocker('b', { ...three, nodes: [host, aHost('b'), aHost('c')] })?.message

  expect(messageWith(asking)).toBe(waits)
  expect(messageWith(asking.held())).toBe(`${waits}; it is held, include it with: nodewave release a`)
  expect(messageWith(asking.reporting('Applying'))).toBe('control-plane node "a" is being changed')
})
