/** `nodewave __complete WORDS…`: candidates a line each, with their description, then a directive, as kubectl's plugins answer. */
import type { Command } from 'commander'
import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import { OBJECT_NAME } from '../../protocol/desired-config.ts'
import type { CliIo } from '../cli-io.ts'
import { connectTo } from '../cluster.ts'
import { type Candidates, candidatesFor, type NameSource } from './candidates.ts'

/** Files may follow; nothing else may. */
const DIRECTIVES = { files: 0, none: 4 } as const
/** A person waits at the prompt. */
const LONGEST_QUESTION = 2000
const MOST_NAMES = 500

export async function completeWords(io: CliIo, program: Command, words: readonly string[]): Promise<void> {
  const { words: found, files } = await candidatesFor(program, words, namesOfCluster(io, words)).catch((): Candidates => NOTHING)
  const lines = found
    .slice(0, MOST_NAMES)
    .map(({ word, description }) => [word, firstLine(description)].filter(Boolean).join('\t'))
  io.stdout([...lines, `:${files ? DIRECTIVES.files : DIRECTIVES.none}`, ''].join('\n'))
}

const NOTHING: Candidates = { words: [], files: false }

const firstLine = (text: string | undefined) => text?.split('\n')[0]

/**
 * Of the cluster that the words name; what cannot be asked has no names. bash inserts a candidate as it is, and runs what stands in
 * it: a server gets no other name there than Kubernetes allows.
 */
function namesOfCluster(io: CliIo, words: readonly string[]): NameSource {
  const given = (flag: string) => words[words.indexOf(flag) + 1 || words.length]
  const namesAt = async (path: string) => {
    const kube = await connectTo(io, { kubeconfig: given('--kubeconfig'), context: given('--context') })
    const signal = AbortSignal.timeout(LONGEST_QUESTION)
    const { items } = await kube.list(path, { project: ({ metadata }) => metadata.name, signal })
    return items.filter((name) => OBJECT_NAME.test(name))
  }
  return { pools: () => namesAt(nodePoolsPath()), nodes: () => namesAt('/api/v1/nodes') }
}
