// The page: its first scene at once, and when that is painted the others, the sandbox, exercises and the glossary.
"use strict";

const [firstScene, ...otherScenes] = scenes;
sceneSection(firstScene);
requestAnimationFrame(() => setTimeout(() => {
  for (const scene of otherScenes) sceneSection(scene);
  sandboxSection();
  exercisesSection();
  glossarySection();
  if (location.hash) document.getElementById(readAddress().id)?.scrollIntoView();
  document.documentElement.dataset.ready = "yes";
}));
