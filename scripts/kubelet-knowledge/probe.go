package main

import (
	"encoding/json"
	"io"
	"math"
	"math/rand"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
)

// Larger numbers do not survive JavaScript.
const largest = 1<<53 - 1

// Fields that another one would forbid are asked about where it does not.
var contexts = map[string]map[string]any{
	"imageGCLowThresholdPercent":  {"imageGCHighThresholdPercent": 100},
	"imageGCHighThresholdPercent": {"imageGCLowThresholdPercent": 0},
	"maxParallelImagePulls":       {"serializeImagePulls": false},
	"enforceNodeAllocatable":      {"systemReservedCgroup": "/system", "kubeReservedCgroup": "/kube"},
}

// Gates that a field needs, where the version has them.
var gatesFor = map[string]string{
	"imagePullCredentialsVerificationPolicy": "KubeletEnsureSecretPulledImages",
	"memoryReservationPolicy":                "MemoryQoS",
	"swapBehavior":                           "NodeSwap",
}

// What the kubelet's own validation takes: whole numbers from one to another, and one of some words. By "Struct.field".
func probe(t reflect.Type) (map[string][2]int64, map[string][]string) {
	ranges, enums := map[string][2]int64{}, map[string][]string{}
	walk(t, nil, func(owner string, field reflect.StructField, path []string) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
			if _, scalar := scalars[kind]; !scalar {
				if found, ok := rangeOf(path); ok {
					ranges[owner+"."+name] = found
				}
			}
		case reflect.String:
			if words := wordsOf(path, func(word string) any { return word }); words != nil {
				enums[owner+"."+name] = words
			}
		case reflect.Slice:
			if kind.Elem().Kind() == reflect.String {
				if words := wordsOf(path, func(word string) any { return []any{word} }); words != nil {
					enums[owner+"."+name] = words
				}
			}
		}
	})
	return ranges, enums
}

func walk(t reflect.Type, path []string, visit func(owner string, field reflect.StructField, path []string)) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Type == typeMeta {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		_, scalar := scalars[kind]
		switch {
		case name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			walk(kind, path, visit)
		case kind.Kind() == reflect.Struct && !scalar:
			walk(kind, append(slices.Clone(path), name), visit)
		default:
			visit(t.Name(), field, append(slices.Clone(path), name))
		}
	}
}

func takes(path []string, value any) error {
	config := map[string]any{}
	for name, other := range contexts[path[len(path)-1]] {
		config[name] = other
	}
	if name := gatesFor[path[len(path)-1]]; name != "" {
		if known, ok := gates()[name]; ok && !known.Locked {
			config["featureGates"] = map[string]any{name: true}
			if name == "MemoryQoS" {
				config["memoryThrottlingFactor"] = 0.9
			}
		}
	}
	at := config
	for _, step := range path[:len(path)-1] {
		inner := map[string]any{}
		at[step] = inner
		at = inner
	}
	at[path[len(path)-1]] = value
	return verdict(question{Config: config})
}

func takesNumber(path []string, n int64) bool {
	return takes(path, json.Number(big(n))) == nil
}

func big(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// The smallest and the largest number that is taken, where all between them are.
func rangeOf(path []string) ([2]int64, bool) {
	for _, seed := range []int64{5, 100, 0, 1, 2, 10000, 65536} {
		if !takesNumber(path, seed) {
			continue
		}
		low, high := edge(path, seed, -largest), edge(path, seed, largest)
		return [2]int64{low, high}, low != high && isWhole(path, low, high)
	}
	return [2]int64{}, false
}

func edge(path []string, taken, beyond int64) int64 {
	if takesNumber(path, beyond) {
		return beyond
	}
	for math.Abs(float64(beyond-taken)) > 1 {
		if middle := taken + (beyond-taken)/2; takesNumber(path, middle) {
			taken = middle
		} else {
			beyond = middle
		}
	}
	return taken
}

func isWhole(path []string, low, high int64) bool {
	random := rand.New(rand.NewSource(1))
	for range 30 {
		if !takesNumber(path, low+random.Int63n(high-low+1)) {
			return false
		}
	}
	return true
}

var quoted = regexp.MustCompile(`"([^"\\ ]*)"`)

// The words that the refusal of a word that is none names, as far as they are taken.
func wordsOf(path []string, valueOf func(word string) any) []string {
	refusal := takes(path, valueOf("no-such-word"))
	if refusal == nil {
		return nil
	}
	text := strings.ReplaceAll(refusal.Error(), `\"`, `"`)
	if !strings.Contains(text, "one of") && !strings.Contains(text, "alid options") {
		return nil
	}
	found := []string{}
	for _, match := range quoted.FindAllStringSubmatch(text, -1) {
		if word := match[1]; !slices.Contains(found, word) && takes(path, valueOf(word)) == nil {
			found = append(found, word)
		}
	}
	if len(found) < 2 {
		return nil
	}
	slices.Sort(found)
	return found
}

// The path of the field that a flag sets, or an empty text when it sets none.
func fieldOf(name string) string {
	for _, value := range []string{"true", "false", "7", "7s", "seven", "seven=7", "memory=7Mi", "memory.available<7Mi", "7.5", "0:memory=7Mi", "a=b:NoSchedule"} {
		config, err := options.NewKubeletConfiguration()
		if err != nil {
			return ""
		}
		before := external(config)
		set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
		set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
		set.SetOutput(io.Discard)
		options.AddKubeletConfigFlags(set, config)
		if set.Lookup(name) == nil || set.Set(name, value) != nil {
			continue
		}
		if path := difference(before, external(config), ""); path != "" {
			return path
		}
	}
	return ""
}

func external(config any) map[string]any {
	known, _, err := scheme.NewSchemeAndCodecs()
	if err != nil {
		return nil
	}
	converted := &v1beta1.KubeletConfiguration{}
	if err := known.Convert(config, converted, nil); err != nil {
		return nil
	}
	text, _ := json.Marshal(converted)
	found := map[string]any{}
	_ = json.Unmarshal(text, &found)
	return found
}

// The path of the field that differs; what is below a field, such as a key of a map, is that field.
func difference(before, after map[string]any, path string) string {
	for name := range allKeys(before, after) {
		former, value := before[name], after[name]
		if reflect.DeepEqual(former, value) {
			continue
		}
		a, _ := former.(map[string]any)
		b, _ := value.(map[string]any)
		if leaves[path+name] || a == nil && b == nil {
			return path + name
		}
		return difference(a, b, path+name+".")
	}
	return ""
}

func allKeys(maps ...map[string]any) map[string]bool {
	found := map[string]bool{}
	for _, each := range maps {
		for name := range each {
			found[name] = true
		}
	}
	return found
}

var leaves = func() map[string]bool {
	found := map[string]bool{}
	walk(reflect.TypeFor[v1beta1.KubeletConfiguration](), nil, func(_ string, _ reflect.StructField, path []string) {
		found[strings.Join(path, ".")] = true
	})
	return found
}()
