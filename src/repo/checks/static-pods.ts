import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { formatLocation, type Place, type Problem } from '../problem.ts'
import type { HostProfileSpec } from '../schema/host-profile.ts'
import type { StaticPodSpec } from '../schema/static-pods.ts'
import { type Path, YamlText } from '../source.ts'
import { readStaticPod } from '../static-pod-manifest.ts'
import { refusal } from './host-files.ts'
import { findingsInManifest } from './static-pod-findings.ts'

/** A manifest that the kubelet does not take would be found out by every node. */
export function checkStaticPods({ documents: { HostProfile, NodePool }, files }: Draft): Problem[] {
  const profiles = [...HostProfile.values()]
  const podsOf = (profile: Loaded<HostProfileSpec>) =>
    (profile.spec.staticPods ?? []).map((spec, index) => ({ profile, spec, index, files }))
  const problems = profiles.flatMap((profile) => podsOf(profile).flatMap(checkPod))
  if (problems.length > 0) return problems
  const used = [...NodePool.values()].map(({ spec }) => (spec.hostProfiles ?? []).flatMap((name) => HostProfile.get(name) ?? []))
  const twins = [...profiles.map((profile) => [profile]), ...used].flatMap((list) =>
    twinsAmong([...new Set(list)].flatMap(podsOf)),
  )
  return [...new Map(twins.map((problem) => [formatLocation(problem.at), problem])).values()]
}

/** Of two pods of one name the kubelet runs either. */
function twinsAmong(pods: readonly Checked[]): Problem[] {
  const first = new Map<string, Checked>()
  return pods.flatMap((pod) => {
    const { namespace, name } = readStaticPod(textOf(pod), pod.spec.path)
    const other = first.get(`${namespace}/${name}`)
    if (other === undefined) first.set(`${namespace}/${name}`, pod)
    if (other === undefined || other.spec.path === pod.spec.path) return []
    const there = formatLocation(placeOf(other))
    const message = `static pod "${namespace}/${name}" is defined twice; the other is in ${there}`
    return [errorAt(pod.profile, ['staticPods', pod.index, 'path'], { reason: 'Conflict', message })]
  })
}

function placeOf({ profile, index }: Checked): Place {
  return profile.source.where(['staticPods', index, 'path'])
}

function textOf({ spec: { content, from }, files }: Pick<Checked, 'spec' | 'files'>): string {
  const file = from === undefined ? undefined : files.get(from)
  return content ?? (file?.kind === 'file' ? Buffer.from(file.bytes).toString() : '')
}

interface Checked {
  readonly profile: Loaded<HostProfileSpec>
  readonly spec: StaticPodSpec
  readonly index: number
  readonly files: Draft['files']
}

function checkPod({ profile, spec, index, files }: Checked): Problem[] {
  const { path, from } = spec
  const at = (field: string): Path => ['staticPods', index, field]
  if (KUBEADM.test(path)) return [errorAt(profile, at('path'), { reason: 'InvalidValue', message: OF_KUBEADM, remedy: AS_FILE })]
  const refused = from === undefined ? undefined : refusal(from, files)
  if (refused) return [errorAt(profile, at('from'), { reason: 'MissingReference', ...refused })]
  return findingsInManifest(new YamlText(from ?? '', textOf({ spec, files }))).map(({ at: place, message }) =>
    from === undefined
      ? errorAt(profile, at('content'), { reason: 'InvalidValue', message: `static pod, line ${place.line}: ${message}` })
      : { severity: 'error', reason: 'InvalidValue', at: place, message: `static pod: ${message}` },
  )
}

const KUBEADM = /\/(?:etcd|kube-(?:apiserver|controller-manager|scheduler))\.ya?ml$/
const OF_KUBEADM = 'static pod: kubeadm writes this manifest, at each upgrade, too'
const AS_FILE = 'leave it to kubeadm; where there is none, write it under files'
