/** What may stand at the cursor: the words so far and the commands give it, the cluster's names come from a port. */
import type { Argument, Command, Option } from 'commander'

export interface Candidate {
  readonly word: string
  readonly description?: string | undefined
}

export interface Candidates {
  readonly words: readonly Candidate[]
  /** Whether names of files may stand there, too. */
  readonly files: boolean
}

/** Names that only a cluster or a kubeconfig knows. */
export interface NameSource {
  pools(): Promise<readonly string[]>
  nodes(): Promise<readonly string[]>
}

const FILES: Candidates = { words: [], files: true }

/** @param words after `nodewave`, the last of them the one at the cursor, perhaps empty */
export async function candidatesFor(program: Command, words: readonly string[], names: NameSource): Promise<Candidates> {
  const { command, args, option } = readWords(program, words.slice(0, -1))
  const last = words.at(-1) ?? ''
  // bash takes --output=json for three words, and --output= for two.
  const current = last === '=' ? '' : last
  const found = await candidatesAt({ command, args, option, current, names })
  return { ...found, words: found.words.filter(({ word }) => word.startsWith(current)) }
}

interface Place {
  readonly command: Command
  /** Those that are given already. */
  readonly args: readonly string[]
  /** The option whose value stands at the cursor. */
  readonly option: Option | undefined
}

async function candidatesAt({
  command,
  args,
  option,
  current,
  names,
}: Place & { readonly current: string; readonly names: NameSource }): Promise<Candidates> {
  if (option !== undefined) return valuesOf(option, '')
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? []
  const named = flag === undefined ? undefined : optionNamed(command, flag)
  if (named !== undefined) return valuesOf(named, `${flag}=`)
  if (current.startsWith('-')) return { words: flagsOf(command), files: false }
  if (command.commands.length > 0 && args.length === 0) return { words: subcommandsOf(command), files: false }
  return namesFor(argumentAt(command, args.length), names)
}

/** Which command the words name, and what of it is given. */
function readWords(program: Command, words: readonly string[]): Place {
  let [command, option]: [Command, Option | undefined] = [program, undefined]
  let args: string[] = []
  for (const word of words) {
    if (word === '=' && option !== undefined) continue
    if (option !== undefined) option = undefined
    else if (word.startsWith('-')) option = word.includes('=') ? undefined : valued(optionNamed(command, word))
    else {
      const next: Command | undefined = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (next === undefined) args = [...args, word]
      else command = next
    }
  }
  return { command, args, option }
}

function optionNamed(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

const valued = (option: Option | undefined) => (option?.required || option?.optional ? option : undefined)

function valuesOf({ argChoices }: Option, prefix: string): Candidates {
  if (argChoices === undefined) return FILES
  return { words: argChoices.map((choice) => ({ word: `${prefix}${choice}` })), files: false }
}

function flagsOf(command: Command): Candidate[] {
  const visible = command.options.filter(({ hidden, long }) => !hidden && long !== undefined)
  return [...visible.map(({ long, description }) => ({ word: long ?? '', description })), { word: '--help' }]
}

function subcommandsOf(command: Command): Candidate[] {
  return command.commands.map((each) => ({ word: each.name(), description: each.description() }))
}

/** The last argument of a command may take several words. */
function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments
  return all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined)
}

/** By the name that the command gives its argument. */
async function namesFor(argument: Argument | undefined, names: NameSource): Promise<Candidates> {
  if (argument === undefined) return { words: [], files: false }
  const choices = argument.argChoices
  if (choices !== undefined) return { words: choices.map((word) => ({ word })), files: false }
  const [pools, nodes] = [/pool|names/, /node|names/].map((kind) => kind.test(argument.name()))
  if (!pools && !nodes) return FILES
  const found = await Promise.all([pools ? names.pools() : [], nodes ? names.nodes() : []])
  return { words: found.flat().map((word) => ({ word })), files: false }
}
