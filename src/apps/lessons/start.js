// The page: its scenes in their order, the sandbox, exercises and the glossary.
"use strict";

for (const scene of scenes) sceneSection(scene);
sandboxSection();
exercisesSection();
glossarySection();
document.documentElement.dataset.ready = "yes";
if (location.hash) document.getElementById(readAddress().id)?.scrollIntoView();
