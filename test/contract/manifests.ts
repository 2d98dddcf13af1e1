import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'
import { APPLY, type RawClient } from './raw-client.ts'

/** Where objects of a kind are: group and version, and the resource. */
const PLACES: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/serviceaccounts',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: '/apis/rbac.authorization.k8s.io/v1/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export async function readManifests(name: string): Promise<Manifest[]> {
  const text = await readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

export async function applyManifests(server: RawClient, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const path = `${pathOf(manifest)}?fieldManager=contract&force=true`
    const { code, text } = await server.send('PATCH', path, { body: manifest, headers: APPLY })
    if (code > 201) throw new Error(`failed to apply ${manifest.kind} "${manifest.metadata.name}": ${text}`)
  }
}

export async function deleteManifests(server: RawClient, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await server.send('DELETE', pathOf(manifest))
}

function pathOf({ kind, metadata: { name, namespace } }: Manifest): string {
  const place = PLACES[kind]
  if (place === undefined) throw new Error(`add the place of kind "${kind}" to this file`)
  const at = place.lastIndexOf('/')
  const inNamespace = namespace === undefined ? '' : `/namespaces/${namespace}`
  return `${place.slice(0, at)}${inNamespace}${place.slice(at)}/${name}`
}
