import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import { formatProblem } from '../../src/repo/problem.ts'

/** A repository from texts; anything else than text is taken as the entry it is. */
export function aRepo(files: Readonly<Record<string, string | RepoFile>>): Map<string, RepoFile> {
  const entries = Object.entries(files).map(([path, file]) => [path, typeof file === 'string' ? textFile(file) : file] as const)
  return new Map(entries)
}

export function textFile(text: string, blobId?: string): RepoFile {
  return { kind: 'file', bytes: new TextEncoder().encode(text), ...(blobId !== undefined && { blobId }) }
}

export const FLEET = `apiVersion: nodewave.io/v1alpha1
kind: Fleet
metadata: {name: fleet}
spec: {}
`

/** The first three lines are the head, so `spec` begins in line 4. */
export function aDocument(kind: string, name: string, spec: string): string {
  return `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\n${spec}`
}

/** All problems of a repository that has a Fleet besides, as people see them. */
export function problemsOf(files: Readonly<Record<string, string | RepoFile>>): string[] {
  return loadFleet(aRepo({ 'fleet.yaml': FLEET, ...files })).problems.map(formatProblem)
}

/** @throws {Error} with the problems, when there are any. */
export function modelOf(files: Readonly<Record<string, string | RepoFile>>): FleetModel {
  const { model, problems } = loadFleet(aRepo({ 'fleet.yaml': FLEET, ...files }))
  if (!model) throw new Error(problems.map(formatProblem).join('\n'))
  return model
}
